#include "storage/db/rewrite/window_ledger.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

namespace lockstep {
namespace {

void SortUnique(std::vector<SeriesId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

absl::StatusOr<WindowLedger> WindowLedger::Read(const ShardState& shard, int32_t window) {
  WindowLedger ledger;
  ledger.window_ = window;
  {
    ReaderLock lock(shard.mutex);
    ledger.mark_ = shard.sealed_sequence;
  }
  kv::Cursor rows = shard.kv->NewCursor(kv::Space::kMeta, kv::WindowKeysOf(window));
  for (; rows.Valid(); rows.Next()) {
    Row row;
    if (!kv::DecodeWindowKey(rows.key(), row.key)) {
      return absl::DataLossError("a window row's key is malformed");
    }
    if (row.key.generation > ledger.mark_) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(row.content, DecodeWindowRow(rows.value()));
    ledger.rows_.push_back(std::move(row));
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return ledger;
}

std::vector<SeriesId> WindowLedger::Among(std::span<const SeriesId> ids) const {
  std::vector<SeriesId> found;
  for (const Row& row : rows_) {
    const std::vector<SeriesId>& series = row.content.series;
    std::set_intersection(ids.begin(), ids.end(), series.begin(), series.end(),
                          std::back_inserter(found));
  }
  SortUnique(found);
  return found;
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

// The rows of the run that has the generation, then all others.
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
                            uint64_t bytes_before, uint64_t bytes_after) {
  if (generation > mark_ || rows_.empty()) return;
  const std::vector<Row*> rows = RowsFrom(tier, generation);
  const auto take = [](uint64_t& left, uint64_t& count) {
    const uint64_t taken = std::min(left, count);
    left -= taken;
    count -= taken;
    return taken > 0;
  };
  uint64_t bytes_left = bytes_before - std::min(bytes_before, bytes_after);
  for (Row* row : rows) {
    WindowTotals& totals = row->content.totals;
    const bool took_samples = take(sample_count, totals.sample_count);
    const bool took_bytes = take(bytes_left, totals.byte_count);
    row->is_changed = row->is_changed || took_samples || took_bytes;
  }
  if (bytes_after > bytes_before) {
    rows.front()->content.totals.byte_count += bytes_after - bytes_before;
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

absl::Status WindowLedger::DeleteAll(BatchWriter& batch) {
  for (const Row& row : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::Space::kMeta, kv::EncodeWindowKey(row.key)));
  }
  rows_.clear();
  return absl::OkStatus();
}

absl::Status WindowLedger::Join(absl::FunctionRef<bool(const kv::WindowKey& key)> is_joined,
                                kv::WindowKey joined, uint64_t bytes_before, uint64_t bytes_after,
                                BatchWriter& batch) {
  WindowTotals totals;
  std::vector<SeriesId> series;
  std::vector<Row> rows;
  std::vector<std::string> old_keys;
  for (Row& row : rows_) {
    if (!is_joined(row.key)) {
      rows.push_back(std::move(row));
      continue;
    }
    totals.Add(row.content.totals);
    series.insert(series.end(), row.content.series.begin(), row.content.series.end());
    old_keys.push_back(kv::EncodeWindowKey(row.key));
    if (row.key.tier == joined.tier && row.key.generation == joined.generation) {
      joined.part = row.key.part + 1;
    }
  }
  SortUnique(series);
  totals.byte_count -= std::min(totals.byte_count, bytes_before);
  totals.byte_count += bytes_after;
  const std::vector<WindowRow> contents = SplitIntoWindowRows(totals, std::move(series));
  for (const WindowRow& content : contents) {
    // Everything from the last row on, which has the counts, is one batch.
    if (&content == &contents.back()) LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
    LOCKSTEP_RETURN_IF_ERROR(
        batch.Put(kv::Space::kMeta, kv::EncodeWindowKey(joined), EncodeWindowRow(content)));
    rows.push_back({joined, content});
    ++joined.part;
  }
  for (const std::string& key : old_keys) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::Space::kMeta, key));
  }
  rows_ = std::move(rows);
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.key.tier, a.key.generation, a.key.part) <
           std::tuple(b.key.tier, b.key.generation, b.key.part);
  });
  return batch.Commit();
}

void WindowLedger::Publish(Windows& windows) const {
  const auto window = windows.find(window_);
  if (window == windows.end()) return;
  if (rows_.empty()) {
    windows.erase(window);
    return;
  }
  StoredWindow runs;
  for (const Row& row : rows_) runs.Add(row.key.tier, row.key.generation, row.content.totals);
  runs.changed_ms = window->second.changed_ms;
  window->second = std::move(runs);
}

}  // namespace lockstep
