#include "ingest/histogram/histogram_message.h"

#include <memory>
#include <protozero/pbf_reader.hpp>
#include <utility>
#include <vector>

#include "ingest/histogram/wire_histogram.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

struct RemoteWriteHistogram {
  WireHistogram wire;
  int64_t timestamp_ms = 0;
  int64_t start_timestamp_ms = 0;
};

void AppendBounds(protozero::pbf_reader& reader, std::vector<double>& values) {
  for (const double value : reader.get_packed_double()) values.push_back(value);
}

// Reads the current field if it is a plain one.
bool ReadPlainField(protozero::pbf_reader& reader, RemoteWriteHistogram& message) {
  WireHistogram& wire = message.wire;
  Histogram& h = wire.histogram;
  switch (reader.tag_and_type()) {
    case tag_and_type(1, pbf_wire_type::varint):
      wire.is_integer = true;
      wire.integer_count = reader.get_uint64();
      return true;
    case tag_and_type(2, pbf_wire_type::fixed64):
      wire.is_integer = false;
      h.count = reader.get_double();
      return true;
    case tag_and_type(3, pbf_wire_type::fixed64):
      h.sum = reader.get_double();
      return true;
    case tag_and_type(4, pbf_wire_type::varint):
      h.schema = reader.get_sint32();
      return true;
    case tag_and_type(5, pbf_wire_type::fixed64):
      h.zero_threshold = reader.get_double();
      return true;
    case tag_and_type(6, pbf_wire_type::varint):
      wire.integer_zero_count = reader.get_uint64();
      return true;
    case tag_and_type(7, pbf_wire_type::fixed64):
      h.zero_count = reader.get_double();
      return true;
    case tag_and_type(14, pbf_wire_type::varint):
      h.reset_hint = static_cast<CounterResetHint>(reader.get_enum() & 3);
      return true;
    case tag_and_type(15, pbf_wire_type::varint):
      message.timestamp_ms = reader.get_int64();
      return true;
    case tag_and_type(16, pbf_wire_type::length_delimited):
      AppendBounds(reader, h.custom_values);
      return true;
    case tag_and_type(16, pbf_wire_type::fixed64):
      h.custom_values.push_back(reader.get_double());
      return true;
    case tag_and_type(17, pbf_wire_type::varint):
      message.start_timestamp_ms = reader.get_int64();
      return true;
    default:
      return false;
  }
}

RemoteWriteHistogram ReadMessage(std::string_view bytes) {
  constexpr uint32_t kFirstNegativeTag = 8;
  constexpr uint32_t kFirstPositiveTag = 11;
  RemoteWriteHistogram message;
  // A message without a count is an integer histogram without observations.
  message.wire.is_integer = true;
  protozero::pbf_reader reader(bytes);
  while (reader.next()) {
    if (!ReadPlainField(reader, message) &&
        !ReadBucketField(reader, kFirstNegativeTag, message.wire.negative) &&
        !ReadBucketField(reader, kFirstPositiveTag, message.wire.positive)) {
      reader.skip();
    }
  }
  return message;
}

void PutSpans(protozero::pbf_writer& message, uint32_t tag, const std::vector<BucketSpan>& spans) {
  for (const BucketSpan& span : spans) {
    protozero::pbf_writer writer(message, tag);
    writer.add_sint32(1, span.offset);
    writer.add_uint32(2, span.length);
  }
}

}  // namespace

absl::StatusOr<HistogramSample> DecodeHistogramMessage(std::string_view bytes) {
  RemoteWriteHistogram message = ReadMessage(bytes);
  LOCKSTEP_ASSIGN_OR_RETURN(Histogram histogram, HistogramOf(std::move(message.wire)));
  return HistogramSample{message.timestamp_ms,
                         std::make_shared<const Histogram>(std::move(histogram)),
                         message.start_timestamp_ms};
}

void PutHistogram(const HistogramSample& sample, protozero::pbf_writer& message) {
  const Histogram& h = *sample.histogram;
  message.add_double(2, h.count);
  message.add_double(3, h.sum);
  message.add_sint32(4, h.schema);
  message.add_double(5, h.zero_threshold);
  message.add_double(7, h.zero_count);
  PutSpans(message, 8, h.negative_spans);
  message.add_packed_double(10, h.negative_counts.begin(), h.negative_counts.end());
  PutSpans(message, 11, h.positive_spans);
  message.add_packed_double(13, h.positive_counts.begin(), h.positive_counts.end());
  message.add_enum(14, static_cast<int32_t>(h.reset_hint));
  message.add_int64(15, sample.timestamp_ms);
  message.add_packed_double(16, h.custom_values.begin(), h.custom_values.end());
}

}  // namespace lockstep
