// A chunk row: the chunks that one generation has of up to 64 neighbouring series in one window.
// One value of Space::kHot or kCold. On disk: docs/formats/keys.md; a chunk itself: docs/formats/chunk.md.
//
//   +------------+-------------------------+-----------------+-----
//   | version u8 | index in block (varint) | series chunk    | ...
//   +------------+-------------------------+-----------------+-----
//
// Indices ascend; a series whose samples take several chunks repeats its index, times ascending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

class ChunkRowBuilder {
 public:
  // Precondition: indices do not descend; `columns` as EncodeSeriesChunk() wants them.
  void Add(uint32_t index_in_block, const SampleColumns& columns);
  bool empty() const { return value_.empty(); }
  size_t byte_count() const { return value_.size(); }
  // The row's value; the builder is empty afterwards.
  std::string Finish();

 private:
  std::string value_;
};

// One chunk of a row, not decoded.
struct ChunkRef {
  uint32_t index_in_block = 0;
  TimeRange range;
  std::string_view bytes;  // of the row's value
};

// Appends all chunks of the row whose times touch the range. kDataLoss on anything malformed.
absl::Status ListChunks(std::string_view value, TimeRange range, std::vector<ChunkRef>& chunks);

}  // namespace lockstep
