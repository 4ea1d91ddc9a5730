#include "ingest/histogram/wire_histogram.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/histogram/histogram_check.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

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

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

// Converts deltas to counts; adds their sum to `total`.
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
  // NaN observations are counted but are in no bucket.
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

absl::StatusOr<Histogram> HistogramOf(WireHistogram wire) {
  Histogram& h = wire.histogram;
  h.positive_spans = std::move(wire.positive.spans);
  h.negative_spans = std::move(wire.negative.spans);
  LOCKSTEP_RETURN_IF_ERROR(wire.is_integer ? FillFromIntegers(wire) : FillFromFloats(wire));
  LOCKSTEP_RETURN_IF_ERROR(CheckHistogramLayout(h));
  return std::move(h);
}

}  // namespace lockstep
