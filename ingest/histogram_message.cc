#include "ingest/histogram_message.h"

#include <cmath>
#include <protozero/pbf_reader.hpp>

#include "absl/strings/str_format.h"
#include "ingest/histogram_check.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// One side of the buckets as it is on the wire: integer histograms have deltas, float ones counts.
struct WireBuckets {
  std::vector<BucketSpan> spans;
  std::vector<int64_t> deltas;
  std::vector<double> counts;
};

struct WireHistogram {
  Histogram histogram;
  bool is_integer = false;
  uint64_t integer_count = 0;
  uint64_t integer_zero_count = 0;
  WireBuckets positive;
  WireBuckets negative;
  int64_t timestamp_ms = 0;
  int64_t start_timestamp_ms = 0;
};

BucketSpan ReadSpan(std::string_view message) {
  BucketSpan span;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        span.offset = reader.get_sint32();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        span.length = reader.get_uint32();
        break;
      default:
        reader.skip();
    }
  }
  return span;
}

void AppendPackedDeltas(protozero::pbf_reader& reader, std::vector<int64_t>& deltas) {
  for (const int64_t delta : reader.get_packed_sint64()) deltas.push_back(delta);
}

void AppendPackedDoubles(protozero::pbf_reader& reader, std::vector<double>& values) {
  for (const double value : reader.get_packed_double()) values.push_back(value);
}

// Reads the current field if it belongs to buckets whose first field number is `first_tag`.
bool ReadBucketField(protozero::pbf_reader& reader, uint32_t first_tag, WireBuckets& buckets) {
  const auto field = [&](uint32_t index, pbf_wire_type type) {
    return reader.tag() == first_tag + index && reader.wire_type() == type;
  };
  if (field(0, pbf_wire_type::length_delimited)) {
    buckets.spans.push_back(ReadSpan(reader.get_view()));
  } else if (field(1, pbf_wire_type::length_delimited)) {
    AppendPackedDeltas(reader, buckets.deltas);
  } else if (field(1, pbf_wire_type::varint)) {
    buckets.deltas.push_back(reader.get_sint64());
  } else if (field(2, pbf_wire_type::length_delimited)) {
    AppendPackedDoubles(reader, buckets.counts);
  } else if (field(2, pbf_wire_type::fixed64)) {
    buckets.counts.push_back(reader.get_double());
  } else {
    return false;
  }
  return true;
}

// Reads the current field if it is one of the plain ones.
bool ReadPlainField(protozero::pbf_reader& reader, WireHistogram& wire) {
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
      wire.timestamp_ms = reader.get_int64();
      return true;
    case tag_and_type(16, pbf_wire_type::length_delimited):
      AppendPackedDoubles(reader, h.custom_values);
      return true;
    case tag_and_type(16, pbf_wire_type::fixed64):
      h.custom_values.push_back(reader.get_double());
      return true;
    case tag_and_type(17, pbf_wire_type::varint):
      wire.start_timestamp_ms = reader.get_int64();
      return true;
    default:
      return false;
  }
}

WireHistogram ReadWire(std::string_view message) {
  constexpr uint32_t kFirstNegativeTag = 8;
  constexpr uint32_t kFirstPositiveTag = 11;
  WireHistogram wire;
  // A message without a count is an integer histogram without observations.
  wire.is_integer = true;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (!ReadPlainField(reader, wire) &&
        !ReadBucketField(reader, kFirstNegativeTag, wire.negative) &&
        !ReadBucketField(reader, kFirstPositiveTag, wire.positive)) {
      reader.skip();
    }
  }
  return wire;
}

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

// Turns deltas into counts; `total` grows by their sum.
absl::Status ExpandDeltas(const std::vector<int64_t>& deltas, std::vector<double>& counts,
                          uint64_t& total) {
  int64_t count = 0;
  for (size_t i = 0; i < deltas.size(); ++i) {
    if (__builtin_add_overflow(count, deltas[i], &count)) {
      return Invalid("histogram has a bucket whose observation count is beyond 63 bits");
    }
    if (count < 0) {
      return Invalid(absl::StrFormat(
          "bucket number %d has observation count of %d: histogram has a bucket whose observation "
          "count is negative",
          i + 1, count));
    }
    if (__builtin_add_overflow(total, static_cast<uint64_t>(count), &total)) {
      return Invalid("histogram has more than 2^64 observations");
    }
    counts.push_back(static_cast<double>(count));
  }
  return absl::OkStatus();
}

absl::Status FillFromIntegers(WireHistogram& wire) {
  Histogram& h = wire.histogram;
  uint64_t total = wire.integer_zero_count;
  LOCKSTEP_RETURN_IF_ERROR(ExpandDeltas(wire.negative.deltas, h.negative_counts, total));
  LOCKSTEP_RETURN_IF_ERROR(ExpandDeltas(wire.positive.deltas, h.positive_counts, total));
  h.count = static_cast<double>(wire.integer_count);
  h.zero_count = static_cast<double>(wire.integer_zero_count);
  // NaN observations are in the count and in no bucket.
  if (std::isnan(h.sum)) {
    if (total > wire.integer_count) {
      return Invalid(absl::StrFormat(
          "%d observations found in buckets, but the Count field is %d: histogram's observation "
          "count should be at least the number of observations found in the buckets",
          total, wire.integer_count));
    }
  } else if (total != wire.integer_count) {
    return Invalid(absl::StrFormat(
        "%d observations found in buckets, but the Count field is %d: histogram's observation "
        "count should equal the number of observations found in the buckets (in absence of NaN)",
        total, wire.integer_count));
  }
  return absl::OkStatus();
}

absl::Status CheckCounts(const std::vector<double>& counts) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      return Invalid(absl::StrFormat(
          "bucket number %d has observation count of %g: histogram has a bucket whose observation "
          "count is negative",
          i + 1, counts[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status FillFromFloats(WireHistogram& wire) {
  Histogram& h = wire.histogram;
  h.negative_counts = std::move(wire.negative.counts);
  h.positive_counts = std::move(wire.positive.counts);
  LOCKSTEP_RETURN_IF_ERROR(CheckCounts(h.negative_counts));
  LOCKSTEP_RETURN_IF_ERROR(CheckCounts(h.positive_counts));
  if (h.zero_count < 0) {
    return Invalid(absl::StrFormat(
        "zero bucket has observation count of %g: histogram has a bucket whose observation count "
        "is negative",
        h.zero_count));
  }
  if (h.count < 0) {
    return Invalid(absl::StrFormat(
        "observation count is %g: histogram's observation count is negative", h.count));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HistogramSample> DecodeHistogramMessage(std::string_view message) {
  WireHistogram wire = ReadWire(message);
  Histogram& h = wire.histogram;
  h.positive_spans = std::move(wire.positive.spans);
  h.negative_spans = std::move(wire.negative.spans);
  LOCKSTEP_RETURN_IF_ERROR(wire.is_integer ? FillFromIntegers(wire) : FillFromFloats(wire));
  LOCKSTEP_RETURN_IF_ERROR(CheckHistogramLayout(h));
  return HistogramSample{wire.timestamp_ms, std::make_shared<const Histogram>(std::move(h)),
                         wire.start_timestamp_ms};
}

}  // namespace lockstep
