// Sets of moments as sorted, disjoint intervals. Simultaneous activity counts once.
//
//   a:      |-----|   |---|
//   b:         |------|
//   union:  |-------------|        a without b:  |--|   |---|
//
// Pure functions. A "union" below is a result of UnionOf() or another of these functions:
// ascending, no interval empty or touching the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::traces {

// From `begin_ns` up to, but not including, `end_ns`.
struct Interval {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t length_ns() const { return end_ns - begin_ns; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Accepts intervals in any order; drops empty ones.
std::vector<Interval> UnionOf(std::vector<Interval> intervals);

// The moments covered by at least two of the intervals, which may be in any order.
std::vector<Interval> OverlapsWithin(std::vector<Interval> intervals);

// The length of a union within `window`.
int64_t LengthWithin(std::span<const Interval> set, Interval window);

// The moments of union `a` that are not in union `b`.
std::vector<Interval> Without(std::span<const Interval> a, std::span<const Interval> b);

}  // namespace lockstep::traces
