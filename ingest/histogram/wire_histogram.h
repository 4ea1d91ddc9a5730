// Decodes native histograms in protobuf messages, integer or float, with any field numbers: from
// remote write and from scrape targets. Throws protozero::exception for malformed messages.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <vector>

#include "base/status.h"
#include "model/histogram.h"

namespace lockstep {

// One side of the buckets: integer histograms have deltas, float histograms counts.
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
};

// Reads the current field if it belongs to the buckets whose spans have field number `first_tag`;
// deltas and counts have the next two.
bool ReadBucketField(protozero::pbf_reader& reader, uint32_t first_tag, WireBuckets& buckets);

// The histogram with absolute counts. kInvalidArgument if invalid; the message says why.
absl::StatusOr<Histogram> HistogramOf(WireHistogram wire);

}  // namespace lockstep
