// Reads a block of a Prometheus TSDB: its series with their samples, without deleted ones.
//
//   01M82DMRRCAEW6C81BY9KX2X9R/
//     index, chunks/000001, chunks/000002, ..., tombstones, meta.json
//
//   segment   magic: 4 | version: 1 | padding: 3 | chunk ...
//   chunk     length: varint | encoding: 1 | data | crc: 4, CRC-32C of encoding and data
//
// Damaged parts are counted and skipped. Source: Prometheus, tsdb/docs/format/chunks.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/tsdb_blocks/block_index.h"
#include "import/tsdb_blocks/tombstones.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::tsdb_blocks {

// The contents of a block's files.
struct BlockFiles {
  std::string_view index;
  std::vector<std::string_view> segments;  // sorted by name
  std::string_view tombstones;             // empty if there is no such file
};

struct BlockSeries {
  LabelSet labels;
  SampleColumns samples;
};

struct BlockCounts {
  uint64_t series = 0;
  uint64_t chunks = 0;
  uint64_t samples = 0;
  uint64_t deleted_samples = 0;       // deleted by tombstones
  uint64_t out_of_order_samples = 0;  // skipped: not after the previous sample
  uint64_t bad_series = 0;
  uint64_t bad_chunks = 0;
  absl::Status first_damage;
};

// The files must outlive this object. For one thread.
class BlockReader {
 public:
  static absl::StatusOr<BlockReader> Open(BlockFiles files);

  // The next series in index order; nothing after the last.
  std::optional<BlockSeries> Next();
  const BlockCounts& counts() const { return counts_; }

 private:
  BlockReader(BlockFiles files, BlockIndex index, Tombstones tombstones);
  absl::Status ReadChunkAt(const ChunkPlace& place, SampleColumns& samples) const;
  void AddChunk(const SampleColumns& read, uint64_t series_ref, SampleColumns& samples);
  bool Takes(uint64_t series_ref, int64_t timestamp_ms, int64_t& last_ms);
  void CountDamage(uint64_t& count, const absl::Status& status);

  BlockFiles files_;
  BlockIndex index_;
  Tombstones tombstones_;
  BlockCounts counts_;
  int64_t last_float_ms_ = 0;
  int64_t last_histogram_ms_ = 0;
};

}  // namespace lockstep::tsdb_blocks
