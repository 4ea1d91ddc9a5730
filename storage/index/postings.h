// Postings: ascending lists of ids without repeats, and set operations on them. Pure functions,
// safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Identifies a series within its shard. The caller of the index assigns it; it is never reused for
// other labels while chunks under it may exist.
using SeriesId = uint32_t;
// Identify a target and a metric (label_split.h) within their shard in the same way.
using TargetId = uint32_t;
using MetricId = uint32_t;

// Ids of any of these three kinds.
using Postings = std::vector<uint32_t>;
using PostingsView = std::span<const uint32_t>;

// Adds an id that is not there yet, usually at the end.
void Insert(Postings& ids, uint32_t id);

// Keep the ids of `ids` that are (Intersect) or are not (Subtract) in `other`. The cost is the
// length of `ids` times the logarithm of the gaps, so a long `other` is cheap to skip through.
void Intersect(Postings& ids, PostingsView other);
void Subtract(Postings& ids, PostingsView other);
// Subtract(), and frees unused memory.
void SubtractAndShrink(Postings& ids, PostingsView other);

// All ids of lists that have no ids in common.
Postings UnionOfDisjoint(std::span<const PostingsView> lists);

}  // namespace lockstep
