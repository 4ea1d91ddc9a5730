// The index of a block: every series with its labels and the locations of its chunks.
//
//   magic: 4 | version: 1 | symbols | series | ... | table of contents: 6 x 8, crc: 4
//
//   symbols   length: 4 | count: 4 | (length: varint, text) ... | crc: 4
//   series    (length: varint | labels | chunks | crc: 4) ...; in version 2 at multiples of 16
//   labels    count: varint | (name: varint, value: varint) ...
//             references to symbols: their numbers in version 2, offsets in the file in version 1
//   chunks    count: varint
//             | first: signed varint, last - first: varint, reference: varint
//             | first - previous last: varint, last - first: varint, reference delta: signed varint
//             | ...
//
// Fixed-width numbers are big-endian; a crc is CRC-32C of the bytes between it and the length.
// Source: Prometheus, tsdb/docs/format/index.md and tsdb/index/index.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/labels.h"

namespace lockstep::tsdb_blocks {

struct ChunkPlace {
  int64_t min_time_ms = 0;
  int64_t max_time_ms = 0;
  uint32_t segment = 0;  // the first is 0
  uint32_t offset = 0;
};

struct IndexedSeries {
  uint64_t ref = 0;  // its reference in tombstones
  LabelSet labels;
  std::vector<ChunkPlace> chunks;
};

// The file must outlive this object. For one thread.
class BlockIndex {
 public:
  // Checks the table of contents and the symbols.
  static absl::StatusOr<BlockIndex> Open(std::string_view file);

  // The next series in file order; nothing after the last. The status reports a damaged series, and
  // the next call continues after it if its length was readable.
  absl::StatusOr<std::optional<IndexedSeries>> Next();

 private:
  BlockIndex() = default;
  absl::Status ReadSymbols(uint64_t offset);
  absl::StatusOr<std::string_view> Symbol(uint64_t ref) const;
  absl::StatusOr<LabelSet> ReadLabels(std::string_view& in) const;

  std::string_view file_;
  int version_ = 0;
  std::vector<std::string_view> symbols_;
  uint64_t at_ = 0;   // offset of the next series
  uint64_t end_ = 0;  // end of the series section
};

}  // namespace lockstep::tsdb_blocks
