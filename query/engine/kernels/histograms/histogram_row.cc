#include "query/engine/kernels/histograms/histogram_row.h"

#include <algorithm>
#include <iterator>

#include "query/engine/kernels/histograms/histogram_buckets.h"

namespace lockstep::engine {
namespace {

// The outer bound of the populated bucket that strictly contains `threshold`, otherwise
// `threshold`.
double MoveOut(const BucketRow& row, int32_t schema, double threshold) {
  for (const IndexedCount& bucket : row) {
    if (!BelongsToZeroBucket(bucket.index, schema, threshold)) break;
    const double outer = BucketUpperBound(bucket.index, schema, {});
    if (outer > threshold && bucket.count != 0) return outer;
  }
  return threshold;
}

void AddBelow(const BucketRow& row, int32_t schema, double threshold, KahanSum& sum) {
  for (const IndexedCount& bucket : row) {
    if (!BelongsToZeroBucket(bucket.index, schema, threshold)) break;
    sum.Add(bucket.count);
  }
}

}  // namespace

BucketRow Unpack(std::span<const BucketSpan> spans, std::span<const double> counts) {
  BucketRow row;
  row.reserve(counts.size());
  int64_t index = 0;
  for (const BucketSpan& span : spans) {
    index += span.offset;
    for (uint32_t i = 0; i < span.length && row.size() < counts.size(); ++i) {
      row.push_back({static_cast<int32_t>(index++), counts[row.size()]});
    }
  }
  return row;
}

void Pack(const BucketRow& row, std::vector<BucketSpan>& spans, std::vector<double>& counts) {
  spans.clear();
  counts.clear();
  counts.reserve(row.size());
  int64_t next = 0;
  for (const IndexedCount& bucket : row) {
    if (spans.empty() || bucket.index != next) {
      spans.push_back({static_cast<int32_t>(bucket.index - next), 0});
    }
    ++spans.back().length;
    counts.push_back(bucket.count);
    next = int64_t{bucket.index} + 1;
  }
}

BucketRow ReduceRow(const BucketRow& row, int32_t from_schema, int32_t to_schema) {
  BucketRow reduced;
  for (const IndexedCount& bucket : row) {
    const int32_t index = IndexInSchema(bucket.index, from_schema, to_schema);
    if (!reduced.empty() && reduced.back().index == index) {
      reduced.back().count += bucket.count;
    } else {
      reduced.push_back({index, bucket.count});
    }
  }
  return reduced;
}

std::vector<double> CommonBounds(std::span<const double> a, std::span<const double> b) {
  std::vector<double> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

std::vector<int32_t> MapBounds(std::span<const double> from, std::span<const double> to) {
  std::vector<int32_t> map;
  map.reserve(from.size() + 1);
  size_t target = 0;
  for (const double bound : from) {
    while (target < to.size() && to[target] < bound) ++target;
    map.push_back(static_cast<int32_t>(target));
  }
  map.push_back(static_cast<int32_t>(to.size()));
  return map;
}

BucketRows UnpackBoth(const Histogram& histogram) {
  return {Unpack(histogram.positive_spans, histogram.positive_counts),
          Unpack(histogram.negative_spans, histogram.negative_counts)};
}

double ThresholdOutsideBuckets(const BucketRows& rows, int32_t schema, double threshold) {
  // Moving out of a bucket on one side may move into one on the other side.
  while (true) {
    const double moved = MoveOut(rows.negative, schema, MoveOut(rows.positive, schema, threshold));
    if (moved == threshold) return threshold;
    threshold = moved;
  }
}

bool BelongsToZeroBucket(int32_t index, int32_t schema, double threshold) {
  return BucketUpperBound(static_cast<int32_t>(int64_t{index} - 1), schema, {}) < threshold;
}

KahanSum WidenedZeroCount(const BucketRows& rows, int32_t schema, double zero_count,
                          double threshold) {
  KahanSum sum{zero_count, 0};
  AddBelow(rows.positive, schema, threshold, sum);
  AddBelow(rows.negative, schema, threshold, sum);
  return sum;
}

}  // namespace lockstep::engine
