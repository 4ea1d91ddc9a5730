// Sets of moments: sorted, disjoint intervals. What several streams do at once is counted once.
//
//   a:      |-----|   |---|
//   b:         |------|
//   union:  |-------------|        a without b:  |--|   |---|
//
// Pure functions. A "union" below is a vector that UnionOf() or another of these made: ascending, none empty, none
// touching the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::traces {

// From `begin_ns` up to, not including, `end_ns`.
struct Interval {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t length_ns() const { return end_ns - begin_ns; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Of intervals in any order; empty ones are left out.
std::vector<Interval> UnionOf(std::vector<Interval> intervals);

// The moments that at least two of the intervals have, which may be in any order.
std::vector<Interval> OverlapsWithin(std::vector<Interval> intervals);

// How much of a union lies in `window`.
int64_t LengthWithin(std::span<const Interval> set, Interval window);

// The moments of union `a` that are not in union `b`.
std::vector<Interval> Without(std::span<const Interval> a, std::span<const Interval> b);

}  // namespace lockstep::traces
