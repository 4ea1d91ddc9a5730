#include "import/traces/tensorboard/event_message.h"

#include <protozero/pbf_reader.hpp>

namespace lockstep::traces {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr int32_t kSessionStartStatus = 1;

// Reads the plugin name in SummaryMetadata's PluginData.
std::string_view ReadPluginName(std::string_view metadata) {
  std::string_view name;
  protozero::pbf_reader reader(metadata);
  while (reader.next(1, pbf_wire_type::length_delimited)) {
    protozero::pbf_reader plugin(reader.get_view());
    while (plugin.next(1, pbf_wire_type::length_delimited)) name = plugin.get_view();
  }
  return name;
}

SummaryValue ReadSummaryValue(std::string_view message) {
  SummaryValue value;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        value.tag = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::fixed32):
        value.kind = SummaryKind::kSimple;
        value.simple_value = reader.get_float();
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        value.kind = SummaryKind::kHistogram;
        reader.skip();
        break;
      case tag_and_type(8, pbf_wire_type::length_delimited):
        value.kind = SummaryKind::kTensor;
        value.tensor = reader.get_view();
        break;
      case tag_and_type(9, pbf_wire_type::length_delimited):
        value.plugin = ReadPluginName(reader.get_view());
        break;
      default:
        reader.skip();
    }
  }
  return value;
}

int32_t ReadSessionStatus(std::string_view message) {
  int32_t status = 0;
  protozero::pbf_reader reader(message);
  while (reader.next(1, pbf_wire_type::varint)) status = reader.get_enum();
  return status;
}

void ReadSummary(std::string_view message, EventMessage& event) {
  event.kind = EventKind::kSummary;
  protozero::pbf_reader reader(message);
  while (reader.next(1, pbf_wire_type::length_delimited)) {
    event.values.push_back(ReadSummaryValue(reader.get_view()));
  }
}

EventMessage ReadEvent(std::string_view data) {
  EventMessage event;
  protozero::pbf_reader reader(data);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        event.wall_time_s = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        event.step = reader.get_int64();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        event.kind = EventKind::kFileVersion;
        event.file_version = reader.get_view();
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        ReadSummary(reader.get_view(), event);
        break;
      case tag_and_type(7, pbf_wire_type::length_delimited):
        if (ReadSessionStatus(reader.get_view()) == kSessionStartStatus) {
          event.kind = EventKind::kSessionStart;
        }
        break;
      default:
        reader.skip();
    }
  }
  return event;
}

}  // namespace

std::optional<EventMessage> ReadEventMessage(std::string_view data) {
  try {
    return ReadEvent(data);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::traces
