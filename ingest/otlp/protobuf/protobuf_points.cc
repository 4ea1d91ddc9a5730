#include "ingest/otlp/protobuf/protobuf_points.h"

#include <protozero/pbf_reader.hpp>

#include "ingest/otlp/points/value_text.h"
#include "ingest/otlp/protobuf/protobuf_attributes.h"

namespace lockstep::otlp {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// A flag that every kind of point has.
constexpr uint32_t kNoRecordedValue = 1;

// All-zero IDs count as absent.
std::string IdText(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos ? "" : HexText(bytes);
}

OtlpExemplar ReadOtlpExemplar(std::string_view message) {
  OtlpExemplar exemplar;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(2, pbf_wire_type::fixed64):
        exemplar.time_ns = reader.get_fixed64();
        break;
      case tag_and_type(3, pbf_wire_type::fixed64):
        exemplar.value = reader.get_double();
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        exemplar.span_id = IdText(reader.get_view());
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        exemplar.trace_id = IdText(reader.get_view());
        break;
      case tag_and_type(6, pbf_wire_type::fixed64):
        exemplar.value = static_cast<double>(reader.get_sfixed64());
        break;
      case tag_and_type(7, pbf_wire_type::length_delimited):
        ReadAttribute(reader.get_view(), exemplar.attributes);
        break;
      default:
        reader.skip();
    }
  }
  return exemplar;
}

// The field numbers of the common fields in one kind of point.
struct CommonTags {
  uint32_t attributes;
  uint32_t exemplars;  // 0: none
  uint32_t flags;
};

// Reads the reader's current field if it is a common one; otherwise returns false.
bool ReadCommonField(const CommonTags& tags, protozero::pbf_reader& reader, DataPoint& point) {
  const uint32_t tag = reader.tag();
  switch (reader.wire_type()) {
    case pbf_wire_type::length_delimited:
      if (tag == tags.attributes) {
        ReadAttribute(reader.get_view(), point.attributes);
        return true;
      }
      if (tag != tags.exemplars || point.exemplars.size() == kMaxExemplarsPerPoint) return false;
      point.exemplars.push_back(ReadOtlpExemplar(reader.get_view()));
      return true;
    case pbf_wire_type::fixed64:
      if (tag != 2 && tag != 3) return false;
      (tag == 2 ? point.start_ns : point.time_ns) = reader.get_fixed64();
      return true;
    case pbf_wire_type::varint:
      if (tag != tags.flags) return false;
      point.has_no_value = (reader.get_uint32() & kNoRecordedValue) != 0;
      return true;
    default:
      return false;
  }
}

ExponentialBuckets ReadExponentialBuckets(std::string_view message) {
  ExponentialBuckets buckets;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        buckets.offset = reader.get_sint32();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        for (const uint64_t count : reader.get_packed_uint64()) buckets.counts.push_back(count);
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        buckets.counts.push_back(reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  return buckets;
}

QuantileValue ReadQuantileValue(std::string_view message) {
  QuantileValue read;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        read.quantile = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        read.value = reader.get_double();
        break;
      default:
        reader.skip();
    }
  }
  return read;
}

}  // namespace

NumberPoint ReadNumberPoint(std::string_view message) {
  constexpr CommonTags kTags = {.attributes = 7, .exemplars = 5, .flags = 8};
  NumberPoint point;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (ReadCommonField(kTags, reader, point)) continue;
    switch (reader.tag_and_type()) {
      case tag_and_type(4, pbf_wire_type::fixed64):
        point.value = reader.get_double();
        break;
      case tag_and_type(6, pbf_wire_type::fixed64):
        point.value = static_cast<double>(reader.get_sfixed64());
        break;
      default:
        reader.skip();
    }
  }
  return point;
}

HistogramPoint ReadHistogramPoint(std::string_view message) {
  constexpr CommonTags kTags = {.attributes = 9, .exemplars = 8, .flags = 10};
  HistogramPoint point;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (ReadCommonField(kTags, reader, point)) continue;
    switch (reader.tag_and_type()) {
      case tag_and_type(4, pbf_wire_type::fixed64):
        point.count = reader.get_fixed64();
        break;
      case tag_and_type(5, pbf_wire_type::fixed64):
        point.sum = reader.get_double();
        break;
      case tag_and_type(6, pbf_wire_type::length_delimited):
        for (const uint64_t count : reader.get_packed_fixed64()) {
          point.bucket_counts.push_back(count);
        }
        break;
      case tag_and_type(6, pbf_wire_type::fixed64):
        point.bucket_counts.push_back(reader.get_fixed64());
        break;
      case tag_and_type(7, pbf_wire_type::length_delimited):
        for (const double bound : reader.get_packed_double()) point.bounds.push_back(bound);
        break;
      case tag_and_type(7, pbf_wire_type::fixed64):
        point.bounds.push_back(reader.get_double());
        break;
      default:
        reader.skip();
    }
  }
  return point;
}

ExponentialHistogramPoint ReadExponentialHistogramPoint(std::string_view message) {
  constexpr CommonTags kTags = {.attributes = 1, .exemplars = 11, .flags = 10};
  ExponentialHistogramPoint point;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (ReadCommonField(kTags, reader, point)) continue;
    switch (reader.tag_and_type()) {
      case tag_and_type(4, pbf_wire_type::fixed64):
        point.count = reader.get_fixed64();
        break;
      case tag_and_type(5, pbf_wire_type::fixed64):
        point.sum = reader.get_double();
        break;
      case tag_and_type(6, pbf_wire_type::varint):
        point.scale = reader.get_sint32();
        break;
      case tag_and_type(7, pbf_wire_type::fixed64):
        point.zero_count = reader.get_fixed64();
        break;
      case tag_and_type(8, pbf_wire_type::length_delimited):
        point.positive = ReadExponentialBuckets(reader.get_view());
        break;
      case tag_and_type(9, pbf_wire_type::length_delimited):
        point.negative = ReadExponentialBuckets(reader.get_view());
        break;
      case tag_and_type(14, pbf_wire_type::fixed64):
        point.zero_threshold = reader.get_double();
        break;
      default:
        reader.skip();
    }
  }
  return point;
}

SummaryPoint ReadSummaryPoint(std::string_view message) {
  constexpr CommonTags kTags = {.attributes = 7, .exemplars = 0, .flags = 8};
  SummaryPoint point;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (ReadCommonField(kTags, reader, point)) continue;
    switch (reader.tag_and_type()) {
      case tag_and_type(4, pbf_wire_type::fixed64):
        point.count = reader.get_fixed64();
        break;
      case tag_and_type(5, pbf_wire_type::fixed64):
        point.sum = reader.get_double();
        break;
      case tag_and_type(6, pbf_wire_type::length_delimited):
        point.quantiles.push_back(ReadQuantileValue(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
  return point;
}

}  // namespace lockstep::otlp
