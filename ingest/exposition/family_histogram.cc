#include "ingest/exposition/family_histogram.h"

#include <algorithm>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "ingest/histogram/wire_histogram.h"

namespace lockstep::exposition {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A count is an integer, or a float in a float histogram.
struct Count {
  uint64_t integer = 0;
  double floating = 0;
  double value() const { return floating > 0 ? floating : static_cast<double>(integer); }
};

struct HistogramMessage {
  Count count;
  Count zero_count;
  WireHistogram wire;
  std::vector<FamilySample> buckets;        // of the classic histogram
  std::vector<std::string_view> exemplars;  // of the native histogram
};

FamilySample ReadBucket(std::string_view message) {
  FamilySample bucket{.suffix = "_bucket", .bound_label = "le"};
  Count count;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        count.integer = reader.get_uint64();
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        bucket.bound = reader.get_double();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        bucket.exemplars = {reader.get_view()};
        break;
      case tag_and_type(4, pbf_wire_type::fixed64):
        count.floating = reader.get_double();
        break;
      default:
        reader.skip();
    }
  }
  bucket.value = count.value();
  return bucket;
}

// Reads the current field unless it belongs to the native buckets.
bool ReadPlainField(protozero::pbf_reader& reader, HistogramMessage& message) {
  switch (reader.tag_and_type()) {
    case tag_and_type(1, pbf_wire_type::varint):
      message.count.integer = reader.get_uint64();
      return true;
    case tag_and_type(2, pbf_wire_type::fixed64):
      message.wire.histogram.sum = reader.get_double();
      return true;
    case tag_and_type(3, pbf_wire_type::length_delimited):
      message.buckets.push_back(ReadBucket(reader.get_view()));
      return true;
    case tag_and_type(4, pbf_wire_type::fixed64):
      message.count.floating = reader.get_double();
      return true;
    case tag_and_type(5, pbf_wire_type::varint):
      message.wire.histogram.schema = reader.get_sint32();
      return true;
    case tag_and_type(6, pbf_wire_type::fixed64):
      message.wire.histogram.zero_threshold = reader.get_double();
      return true;
    case tag_and_type(7, pbf_wire_type::varint):
      message.zero_count.integer = reader.get_uint64();
      return true;
    case tag_and_type(8, pbf_wire_type::fixed64):
      message.zero_count.floating = reader.get_double();
      return true;
    case tag_and_type(16, pbf_wire_type::length_delimited):
      message.exemplars.push_back(reader.get_view());
      return true;
    default:
      return false;
  }
}

HistogramMessage ReadMessage(std::string_view bytes) {
  constexpr uint32_t kFirstNegativeTag = 9;
  constexpr uint32_t kFirstPositiveTag = 12;
  HistogramMessage message;
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

// A native histogram without observations has an empty span, which identifies it.
bool IsNative(const HistogramMessage& message) {
  return !message.wire.positive.spans.empty() || !message.wire.negative.spans.empty() ||
         message.wire.histogram.zero_threshold > 0 || message.zero_count.value() > 0;
}

// The native exemplars that have a timestamp; without any, those of the classic buckets.
std::vector<std::string_view> NativeExemplars(const HistogramMessage& message) {
  std::vector<std::string_view> exemplars = message.exemplars;
  if (exemplars.empty()) {
    for (const FamilySample& bucket : message.buckets) {
      exemplars.insert(exemplars.end(), bucket.exemplars.begin(), bucket.exemplars.end());
    }
  }
  std::erase_if(exemplars, [](std::string_view exemplar) {
    return !ReadExemplar(exemplar).timestamp_ms.has_value();
  });
  return exemplars;
}

absl::StatusOr<FamilySample> NativeSample(HistogramMessage& message, CounterResetHint hint) {
  FamilySample sample;
  sample.exemplars = NativeExemplars(message);
  WireHistogram& wire = message.wire;
  wire.is_integer = !(message.count.floating > 0 || message.zero_count.floating > 0);
  wire.integer_count = message.count.integer;
  wire.integer_zero_count = message.zero_count.integer;
  wire.histogram.count = message.count.floating;
  wire.histogram.zero_count = message.zero_count.floating;
  wire.histogram.reset_hint = hint;
  LOCKSTEP_ASSIGN_OR_RETURN(Histogram histogram, HistogramOf(std::move(wire)));
  sample.histogram = std::make_shared<const Histogram>(std::move(histogram));
  return sample;
}

void AppendClassic(HistogramMessage& message, double sum, std::vector<FamilySample>& samples) {
  samples.push_back({.suffix = "_count", .value = message.count.value()});
  samples.push_back({.suffix = "_sum", .value = sum});
  const bool has_infinity = std::ranges::any_of(
      message.buckets, [](const FamilySample& bucket) { return bucket.bound == kInfinity; });
  for (FamilySample& bucket : message.buckets) samples.push_back(std::move(bucket));
  if (has_infinity) return;
  samples.push_back({.suffix = "_bucket",
                     .bound_label = "le",
                     .bound = kInfinity,
                     .value = message.count.value()});
}

}  // namespace

absl::StatusOr<std::vector<FamilySample>> ReadHistogram(std::string_view bytes,
                                                        CounterResetHint hint,
                                                        const HistogramChoice& choice) {
  HistogramMessage message = ReadMessage(bytes);
  const double sum = message.wire.histogram.sum;
  const bool takes_native = choice.takes_native && IsNative(message);
  std::vector<FamilySample> samples;
  if (takes_native) {
    LOCKSTEP_ASSIGN_OR_RETURN(FamilySample native, NativeSample(message, hint));
    samples.push_back(std::move(native));
    if (!choice.takes_both || message.buckets.empty()) return samples;
  }
  AppendClassic(message, sum, samples);
  return samples;
}

}  // namespace lockstep::exposition
