#include "import/traces/kineto/interval_union.h"

#include <algorithm>
#include <utility>

namespace lockstep::traces {

std::vector<Interval> UnionOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
  size_t count = 0;
  for (const Interval& interval : intervals) {
    if (interval.length_ns() <= 0) continue;
    if (count > 0 && interval.begin_ns <= intervals[count - 1].end_ns) {
      int64_t& end_ns = intervals[count - 1].end_ns;
      end_ns = std::max(end_ns, interval.end_ns);
    } else {
      intervals[count++] = interval;
    }
  }
  intervals.resize(count);
  return intervals;
}

std::vector<Interval> OverlapsWithin(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return interval.length_ns() <= 0; });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Interval> overlaps;
  int64_t taken_until_ns = intervals.empty() ? 0 : intervals.front().begin_ns;
  for (const Interval& interval : intervals) {
    overlaps.push_back({interval.begin_ns, std::min(interval.end_ns, taken_until_ns)});
    taken_until_ns = std::max(taken_until_ns, interval.end_ns);
  }
  return UnionOf(std::move(overlaps));
}

int64_t LengthWithin(std::span<const Interval> set, Interval window) {
  auto at = std::partition_point(set.begin(), set.end(), [&](const Interval& interval) {
    return interval.end_ns <= window.begin_ns;
  });
  int64_t length_ns = 0;
  for (; at != set.end() && at->begin_ns < window.end_ns; ++at) {
    length_ns += std::min(at->end_ns, window.end_ns) - std::max(at->begin_ns, window.begin_ns);
  }
  return length_ns;
}

std::vector<Interval> Without(std::span<const Interval> a, std::span<const Interval> b) {
  std::vector<Interval> rest;
  size_t next = 0;  // in b: the first that ends after the start of a's remaining interval
  for (Interval left : a) {
    while (next < b.size() && b[next].end_ns <= left.begin_ns) ++next;
    for (size_t i = next; i < b.size() && b[i].begin_ns < left.end_ns; ++i) {
      if (b[i].begin_ns > left.begin_ns) rest.push_back({left.begin_ns, b[i].begin_ns});
      left.begin_ns = b[i].end_ns;
    }
    if (left.length_ns() > 0) rest.push_back(left);
  }
  return rest;
}

}  // namespace lockstep::traces
