// The message Label of remote write 1.0 and of remote read responses.
#pragma once

#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "model/labels.h"

namespace lockstep {

// Views into `message`. Throws protozero's exceptions if malformed.
inline LabelView ReadLabel(std::string_view message) {
  using protozero::pbf_wire_type;
  using protozero::tag_and_type;
  LabelView label;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        label.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        label.value = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return label;
}

}  // namespace lockstep
