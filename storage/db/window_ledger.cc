#include "storage/db/window_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep {

absl::StatusOr<WindowLedger> WindowLedger::Read(const kv::Store& kv, int32_t window,
                                                uint64_t mark) {
  WindowLedger ledger;
  ledger.mark_ = mark;
  kv::Cursor rows = kv.NewCursor(kv::Space::kMeta, kv::WindowKeysOf(window));
  for (; rows.Valid(); rows.Next()) {
    Row row;
    if (!kv::DecodeWindowKey(rows.key(), row.key)) {
      return absl::DataLossError("a window row's key is malformed");
    }
    if (row.key.generation > mark) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(row.content, DecodeWindowRow(rows.value()));
    ledger.rows_.push_back(std::move(row));
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return ledger;
}

void WindowLedger::RemoveSeries(std::span<const SeriesId> ids) {
  if (ids.empty()) return;
  std::vector<SeriesId> left;
  for (Row& row : rows_) {
    std::vector<SeriesId>& series = row.content.series;
    left.clear();
    std::set_difference(series.begin(), series.end(), ids.begin(), ids.end(),
                        std::back_inserter(left));
    if (left.size() == series.size()) continue;
    series = left;
    row.is_changed = true;
  }
}

// Those of the run that has the generation, then all others.
std::vector<WindowLedger::Row*> WindowLedger::RowsFrom(kv::Tier tier, uint64_t generation) {
  const auto is_of_run = [&](const Row& row) {
    return row.key.tier == tier && (tier == kv::Tier::kCold || row.key.generation >= generation);
  };
  std::vector<Row*> rows;
  const auto first = std::find_if(rows_.begin(), rows_.end(), is_of_run);
  for (auto at = first; at != rows_.end(); ++at) rows.push_back(&*at);
  for (auto at = rows_.begin(); at != first; ++at) rows.push_back(&*at);
  return rows;
}

void WindowLedger::Subtract(kv::Tier tier, uint64_t generation, uint64_t sample_count,
                            int64_t byte_count) {
  if (generation > mark_ || rows_.empty()) return;
  const std::vector<Row*> rows = RowsFrom(tier, generation);
  const auto take = [](uint64_t& left, uint64_t& count) {
    const uint64_t taken = std::min(left, count);
    left -= taken;
    count -= taken;
    return taken > 0;
  };
  uint64_t bytes_left = byte_count > 0 ? static_cast<uint64_t>(byte_count) : 0;
  for (Row* row : rows) {
    WindowTotals& totals = row->content.totals;
    const bool took_samples = take(sample_count, totals.sample_count);
    const bool took_bytes = take(bytes_left, totals.byte_count);
    row->is_changed = row->is_changed || took_samples || took_bytes;
  }
  if (byte_count < 0) {
    rows.front()->content.totals.byte_count += static_cast<uint64_t>(-byte_count);
    rows.front()->is_changed = true;
  }
}

absl::Status WindowLedger::PutChanged(BatchWriter& batch) const {
  for (const Row& row : rows_) {
    if (!row.is_changed) continue;
    LOCKSTEP_RETURN_IF_ERROR(
        batch.Put(kv::Space::kMeta, kv::EncodeWindowKey(row.key), EncodeWindowRow(row.content)));
  }
  return absl::OkStatus();
}

absl::Status WindowLedger::DeleteAll(BatchWriter& batch) const {
  for (const Row& row : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::Space::kMeta, kv::EncodeWindowKey(row.key)));
  }
  return absl::OkStatus();
}

StoredWindow WindowLedger::Runs() const {
  StoredWindow window;
  for (const Row& row : rows_) {
    window.Add(row.key.tier, row.key.generation, row.content.totals);
  }
  return window;
}

}  // namespace lockstep
