// Decodes chunks of native histograms, with integer or float counts.
//
//   count: 2 bytes | flags: 1 byte | layout | sample ...
//
// The layout and samples with float counts are described in export/histogram_chunk.h. With
// integers, a sample is
//
//   time | count | zero count | sum | positive buckets ... | negative buckets ...
//
// Time, counts and buckets are varbits: first the value, then its delta, then deltas of deltas; the
// sum is the xor with the previous one. A bucket is the difference to its neighbour.
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
