#include "storage/db/state/change_log.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr size_t kMaxSpans = 4096;

}  // namespace

uint64_t ChangeLog::count() const {
  MutexLock lock(mutex_);
  return count_;
}

void ChangeLog::Add(int64_t earliest_ms) {
  MutexLock lock(mutex_);
  while (!spans_.empty() && spans_.back().earliest_ms >= earliest_ms) spans_.pop_back();
  spans_.push_back({++count_, earliest_ms});
  if (spans_.size() > kMaxSpans) HalveOlder();
}

// Merges pairs of spans into one that has the earlier time.
void ChangeLog::HalveOlder() {
  constexpr size_t kPairs = kMaxSpans / 4;
  for (size_t i = 0; i < kPairs; ++i) {
    spans_[i] = {spans_[2 * i + 1].last, spans_[2 * i].earliest_ms};
  }
  const auto begin = spans_.begin();
  spans_.erase(begin + static_cast<ptrdiff_t>(kPairs), begin + static_cast<ptrdiff_t>(2 * kPairs));
}

int64_t ChangeLog::EarliestSince(uint64_t count) const {
  MutexLock lock(mutex_);
  const auto found = std::ranges::upper_bound(spans_, count, {}, &Span::last);
  return found == spans_.end() ? kNever : found->earliest_ms;
}

}  // namespace lockstep
