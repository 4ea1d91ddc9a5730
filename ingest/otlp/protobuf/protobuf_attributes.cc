#include "ingest/otlp/protobuf/protobuf_attributes.h"

#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ingest/otlp/points/value_text.h"

namespace lockstep::otlp {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

std::string JsonOf(std::string_view any_value, int depth);

struct KeyValue {
  std::string_view key;
  std::string_view value;  // an AnyValue message
};

KeyValue ReadKeyValue(std::string_view message) {
  KeyValue read;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        read.key = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        read.value = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return read;
}

std::string JsonOfList(std::string_view message, int depth) {
  if (depth == 0) return "null";
  std::vector<std::string> values;
  protozero::pbf_reader reader(message);
  while (reader.next(1, pbf_wire_type::length_delimited)) {
    values.push_back(JsonOf(reader.get_view(), depth - 1));
  }
  return ListText(values);
}

std::string JsonOfMap(std::string_view message, int depth) {
  if (depth == 0) return "null";
  std::vector<std::pair<std::string_view, std::string>> values;
  protozero::pbf_reader reader(message);
  while (reader.next(1, pbf_wire_type::length_delimited)) {
    const KeyValue read = ReadKeyValue(reader.get_view());
    values.emplace_back(read.key, JsonOf(read.value, depth - 1));
  }
  return MapText(std::move(values));
}

// The text of the number, list or map at the reader; "" for anything else.
std::string TextOfField(protozero::pbf_reader& reader, int depth) {
  switch (reader.tag_and_type()) {
    case tag_and_type(2, pbf_wire_type::varint):
      // get_bool() reads a byte without checking that there is one.
      return reader.get_uint64() != 0 ? "true" : "false";
    case tag_and_type(3, pbf_wire_type::varint):
      return std::to_string(reader.get_int64());
    case tag_and_type(4, pbf_wire_type::fixed64):
      return DoubleText(reader.get_double());
    case tag_and_type(5, pbf_wire_type::length_delimited):
      return JsonOfList(reader.get_view(), depth);
    case tag_and_type(6, pbf_wire_type::length_delimited):
      return JsonOfMap(reader.get_view(), depth);
    default:
      reader.skip();
      return "";
  }
}

std::string JsonOf(std::string_view any_value, int depth) {
  std::string text = "null";
  protozero::pbf_reader reader(any_value);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        text = QuotedText(reader.get_view());
        break;
      case tag_and_type(7, pbf_wire_type::length_delimited):
        text = QuotedText(Base64Text(reader.get_view()));
        break;
      default:
        if (std::string other = TextOfField(reader, depth); !other.empty()) text = std::move(other);
    }
  }
  return text;
}

}  // namespace

void ReadAttribute(std::string_view message, Attributes& attributes) {
  const KeyValue read = ReadKeyValue(message);
  std::string_view text;
  std::string made;
  protozero::pbf_reader reader(read.value);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        text = reader.get_view();
        made.clear();
        break;
      case tag_and_type(7, pbf_wire_type::length_delimited):
        made = Base64Text(reader.get_view());
        break;
      default:
        if (std::string other = TextOfField(reader, kMaxValueDepth); !other.empty()) {
          made = std::move(other);
        }
    }
  }
  if (made.empty()) return attributes.Add(read.key, text);
  attributes.AddMade(read.key, std::move(made));
}

}  // namespace lockstep::otlp
