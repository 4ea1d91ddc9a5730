// A series chunk: samples of one series as bytes, exact to the last bit of every value.
//
//   +--------------+-------------+-----------------+-------------+----------------+-----------+------+
//   | version u8   | float count | histogram count | min_time_ms | max_time_ms -  | body size |
//   body | |              | varint      | varint          | zigzag      | min_time varint| varint
//   |      |
//   +--------------+-------------+-----------------+-------------+----------------+-----------+------+
//
// The body holds the float samples (timestamps, then values) and then the histogram samples
// (timestamps, then histograms); a kind without samples takes no bytes. docs/formats/chunk.md has
// the whole layout. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

// The most samples, of both kinds together, that one chunk may hold. A decoder allocates no more
// than this, whatever its input claims.
inline constexpr size_t kMaxChunkSamples = size_t{1} << 16;

struct ChunkHeader {
  size_t float_count = 0;
  size_t histogram_count = 0;
  TimeRange range;  // times of the first and the last sample
  size_t header_bytes = 0;
  size_t body_bytes = 0;

  size_t sample_count() const { return float_count + histogram_count; }
  // What to skip to get to the next of several chunks in a row.
  size_t chunk_bytes() const { return header_bytes + body_bytes; }
};

// Appends one chunk to `out`. Preconditions: `columns` keep the rules of SampleColumns (ascending,
// no time twice, histograms not null and with as many counts as their spans say), and hold between
// 1 and kMaxChunkSamples samples.
void EncodeSeriesChunk(std::string& out, const SampleColumns& columns);

// Of the chunk at the front of `in`; the body is not looked at, but is known to be there in full.
// kDataLoss on anything malformed.
absl::StatusOr<ChunkHeader> ReadChunkHeader(std::string_view in);

// Consumes the chunk at the front of `in` and appends its samples to `columns`. On failure
// (kDataLoss) `columns` is as it was before, and `in` unspecified.
absl::Status DecodeSeriesChunk(std::string_view& in, SampleColumns& columns);

}  // namespace lockstep
