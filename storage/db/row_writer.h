// RowWriter: puts samples of the 64 series of one block in one window into chunk rows of one
// generation. Not thread-safe; must not outlive its BatchWriter.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/batch_writer.h"
#include "storage/db/row_cutter.h"
#include "storage/db/window_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

class RowWriter {
 public:
  // `first` is the key of the first row; further ones have the parts behind it.
  RowWriter(BatchWriter& batch, kv::Space space, const kv::ChunkKey& first)
      : batch_(batch), space_(space), next_(first) {}

  // Keeps a copy. Preconditions: indices ascend, there is a sample, and all lie in the window.
  void Add(uint32_t index_in_block, const SampleColumns& columns);
  // Writes the rows. To be called once all was added.
  absl::Status Finish();

  // Of what was added and, after Finish(), of all rows.
  const WindowTotals& totals() const { return totals_; }
  uint64_t chunk_count() const { return chunk_count_; }

 private:
  BatchWriter& batch_;
  const kv::Space space_;
  kv::ChunkKey next_;
  RowCutter rows_;
  WindowTotals totals_;
  uint64_t chunk_count_ = 0;
};

}  // namespace lockstep
