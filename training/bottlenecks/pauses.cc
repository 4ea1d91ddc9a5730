#include "training/bottlenecks/pauses.h"

#include <algorithm>

namespace lockstep::training {
namespace {

int64_t Length(const TimeRange& range) { return range.max_ms - range.min_ms; }

}  // namespace

std::vector<TimeRange> PausesOf(const CounterSeries& engine, int64_t least_ms) {
  std::vector<TimeRange> pauses;
  const size_t count = engine.timestamp_ms.size();
  for (size_t first = 1; first < count; ++first) {
    size_t end = first;
    while (end < count && engine.value[end] < kIdleEngineRatio) ++end;
    if (end >= first + 2) {
      // A sample covers the time since the previous one.
      const TimeRange pause = {engine.timestamp_ms[first - 1], engine.timestamp_ms[end - 1]};
      if (Length(pause) >= least_ms) pauses.push_back(pause);
    }
    first = end;
  }
  return pauses;
}

TimeRange MainPart(const TimeRange& window, std::span<const TimeRange> pauses, int64_t period_ms) {
  TimeRange longest = {window.min_ms, window.min_ms};
  const auto consider = [&](int64_t from_ms, int64_t to_ms) {
    const TimeRange part = {std::max(from_ms, window.min_ms), std::min(to_ms, window.max_ms)};
    if (Length(part) > Length(longest)) longest = part;
  };
  int64_t work_from_ms = window.min_ms;
  for (const TimeRange& pause : pauses) {
    consider(work_from_ms, pause.min_ms - period_ms);
    consider(pause.min_ms, pause.max_ms);
    work_from_ms = pause.max_ms + period_ms;
  }
  consider(work_from_ms, window.max_ms);
  return longest;
}

}  // namespace lockstep::training
