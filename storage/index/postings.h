// Postings: ascending lists of ids without repeats, and the arithmetic on them.
// Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Names a series inside its shard. Given out by the caller of the index; never reused for other labels
// while chunks under it may exist.
using SeriesId = uint32_t;
// Name a target and a metric (label_split.h) inside their shard, in the same way.
using TargetId = uint32_t;
using MetricId = uint32_t;

// Of any of the three.
using Postings = std::vector<uint32_t>;
using PostingsView = std::span<const uint32_t>;

// Adds an id that is not there yet; at the end, as a rule.
void Insert(Postings& ids, uint32_t id);

// Keeps of `ids` what is (Intersect) or is not (Subtract) in `other`. Costs the length of `ids` times the
// logarithm of the gaps, so a long `other` is cheap to skip through.
void Intersect(Postings& ids, PostingsView other);
void Subtract(Postings& ids, PostingsView other);
// Subtract, and memory that is left over is given back.
void SubtractAndShrink(Postings& ids, PostingsView other);

// All ids of lists that have none in common.
Postings UnionOfDisjoint(std::span<const PostingsView> lists);

}  // namespace lockstep
