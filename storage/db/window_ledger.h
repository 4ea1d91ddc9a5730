// WindowLedger: what the window rows of one window say, read so that it can be corrected when samples
// are erased. It never leaves out what the chunks have: a series is taken out only when told that no row
// has it, and times stay as they were. Counts go down by what was erased, but not below zero.
//
// Not thread-safe; for one change, while nobody else changes the window's rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "storage/db/batch_writer.h"
#include "storage/db/windows.h"
#include "storage/kv/store.h"

namespace lockstep {

class WindowLedger {
 public:
  // Rows of generations beyond `mark` mean nothing and are left alone.
  static absl::StatusOr<WindowLedger> Read(const kv::Store& kv, int32_t window, uint64_t mark);

  // No chunk row of the window has samples of these series. They ascend.
  void RemoveSeries(std::span<const SeriesId> ids);
  // A chunk row of that generation lost samples and took fewer bytes, or more, afterwards. What its run
  // does not count is taken off other runs: a merge that is under way has put it there.
  void Subtract(kv::Tier tier, uint64_t generation, uint64_t sample_count, int64_t byte_count);

  // Writes the rows that are not as they were.
  absl::Status PutChanged(BatchWriter& batch) const;
  absl::Status DeleteAll(BatchWriter& batch) const;
  // What a start would find.
  StoredWindow Runs() const;

 private:
  struct Row {
    kv::WindowKey key;
    WindowRow content;
    bool is_changed = false;
  };

  std::vector<Row*> RowsFrom(kv::Tier tier, uint64_t generation);

  uint64_t mark_ = 0;
  std::vector<Row> rows_;  // coldest and oldest first
};

}  // namespace lockstep
