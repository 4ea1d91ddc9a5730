// Chunks of native histograms, with counts that are integers or floats.
//
//   count: 2 bytes | flags: 1 byte | layout | sample ...
//
// The layout is as export/histogram_chunk.h draws it, as are samples with float counts. With integers a sample is
//
//   time | count | zero count | sum | positive buckets ... | negative buckets ...
//
// time, counts and buckets as varbits, first themselves, then the delta, then the deltas of the delta; the sum as
// the xor to the one before. A bucket is the difference to its neighbour.
// Source: Prometheus, tsdb/chunkenc/histogram.go, float_histogram.go and histogram_meta.go.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep::tsdb_blocks {

absl::StatusOr<std::vector<HistogramSample>> ReadHistogramChunk(std::string_view data);
absl::StatusOr<std::vector<HistogramSample>> ReadFloatHistogramChunk(std::string_view data);

}  // namespace lockstep::tsdb_blocks
