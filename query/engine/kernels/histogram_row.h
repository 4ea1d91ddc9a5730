// BucketRow: one side of a native histogram as (index, count) pairs, which arithmetic is easier on
// than on spans. Inside the kernels only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/histogram.h"

namespace lockstep::engine {

struct IndexedCount {
  int32_t index = 0;
  double count = 0;
};

// Ascending by index, none twice. May hold empty buckets.
using BucketRow = std::vector<IndexedCount>;

BucketRow Unpack(std::span<const BucketSpan> spans, std::span<const double> counts);
void Pack(const BucketRow& row, std::vector<BucketSpan>& spans, std::vector<double>& counts);

// The bucket of a coarser schema that holds bucket `index`. Precondition: to_schema <= from_schema.
inline int32_t IndexInSchema(int32_t index, int32_t from_schema, int32_t to_schema) {
  return static_cast<int32_t>(((int64_t{index} - 1) >> (from_schema - to_schema)) + 1);
}

// The row at a coarser schema. Same precondition.
BucketRow ReduceRow(const BucketRow& row, int32_t from_schema, int32_t to_schema);

// The bounds that both lists have. Both ascending.
std::vector<double> CommonBounds(std::span<const double> a, std::span<const double> b);

// For each bucket of `from` (the last one ends at +Inf) the bucket of `to` that holds it.
// Precondition: `to` is a part of `from`.
std::vector<int32_t> MapBounds(std::span<const double> from, std::span<const double> to);

}  // namespace lockstep::engine
