#include "ingest/otlp/delta_totals.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lockstep::otlp {

DeltaTotal& DeltaTotals::Change::Of(const SeriesKey& series) {
  const auto [at, is_new] = changed_.try_emplace(series);
  if (!is_new) return at->second;
  MutexLock lock(totals_.mutex_);
  const auto found = totals_.totals_.find(series);
  if (found != totals_.totals_.end()) at->second = found->second;
  return at->second;
}

void DeltaTotals::Change::Commit() {
  if (changed_.empty()) return;
  MutexLock lock(totals_.mutex_);
  totals_.MakeRoom(changed_.size());
  for (auto& [series, total] : changed_) {
    // A series of which no point was taken has none.
    if (total.time_ns != 0) totals_.totals_.insert_or_assign(series, std::move(total));
  }
  changed_.clear();
}

size_t DeltaTotals::size() const {
  MutexLock lock(mutex_);
  return totals_.size();
}

// Forgets those that have been silent for longest, a quarter at once: each forgetting looks at all.
void DeltaTotals::MakeRoom(size_t count) {
  if (totals_.size() + count <= max_series_) return;
  std::vector<uint64_t> times_ns;
  times_ns.reserve(totals_.size());
  for (const auto& [series, total] : totals_) times_ns.push_back(total.time_ns);
  const size_t forgotten = std::min(times_ns.size(), std::max(count, max_series_ / 4));
  if (forgotten == 0) return;
  const auto newest = times_ns.begin() + static_cast<ptrdiff_t>(forgotten - 1);
  std::nth_element(times_ns.begin(), newest, times_ns.end());
  absl::erase_if(totals_, [limit_ns = *newest](const auto& entry) {
    return entry.second.time_ns <= limit_ns;
  });
}

}  // namespace lockstep::otlp
