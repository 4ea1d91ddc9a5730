#include "query/engine/kernels/histogram_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/engine/kernels/histogram_buckets.h"

namespace lockstep::engine {
namespace {

// The hint of a sum: alike stays alike, a gauge wins, anything else is unknown. Returns whether one
// operand says that the counter was reset and the other that it was not.
bool MergeHints(CounterResetHint& hint, CounterResetHint other) {
  if (hint == other || hint == CounterResetHint::kGauge) return false;
  if (other == CounterResetHint::kGauge) {
    hint = other;
    return false;
  }
  const bool conflict = hint != CounterResetHint::kUnknown && other != CounterResetHint::kUnknown;
  hint = CounterResetHint::kUnknown;
  return conflict;
}

void AddSum(KahanSum& sum, const KahanSum& other) {
  sum.Add(other.sum);
  if (other.compensation != 0) sum.Add(other.compensation);
}

}  // namespace

HistogramSum::HistogramSum(const Histogram& first)
    : reset_hint_(first.reset_hint),
      schema_(first.schema),
      zero_threshold_(first.zero_threshold),
      zero_count_{first.zero_count, 0},
      count_{first.count, 0},
      sum_{first.sum, 0},
      positive_(Start(Unpack(first.positive_spans, first.positive_counts))),
      negative_(Start(Unpack(first.negative_spans, first.negative_counts))),
      custom_values_(first.custom_values) {}

HistogramSum::SumRow HistogramSum::Start(const BucketRow& row) {
  SumRow sums;
  sums.reserve(row.size());
  for (const IndexedCount& bucket : row) sums.push_back({bucket.index, {bucket.count, 0}});
  return sums;
}

BucketRow HistogramSum::Finish(const SumRow& row) {
  BucketRow buckets;
  buckets.reserve(row.size());
  for (const IndexedSum& bucket : row) buckets.push_back({bucket.index, bucket.count.Total()});
  return buckets;
}

void HistogramSum::AddRow(SumRow& row, const BucketRow& other, int sign) {
  SumRow merged;
  merged.reserve(row.size() + other.size());
  auto at = row.begin();
  for (const IndexedCount& bucket : other) {
    while (at != row.end() && at->index < bucket.index) merged.push_back(*at++);
    if (at != row.end() && at->index == bucket.index) {
      merged.push_back(*at++);
      merged.back().count.Add(sign * bucket.count);
    } else {
      merged.push_back({bucket.index, {sign * bucket.count, 0}});
    }
  }
  merged.insert(merged.end(), at, row.end());
  row = std::move(merged);
}

void HistogramSum::DropEmpty(SumRow& row) {
  std::erase_if(row, [](const IndexedSum& bucket) {
    return bucket.count.sum == 0 && bucket.count.compensation == 0;
  });
}

template <typename IndexMap>
HistogramSum::SumRow HistogramSum::Reindex(const SumRow& row, IndexMap to) {
  SumRow result;
  for (const IndexedSum& bucket : row) {
    const int32_t index = to(bucket.index);
    if (!result.empty() && result.back().index == index) {
      AddSum(result.back().count, bucket.count);
    } else {
      result.push_back({index, bucket.count});
    }
  }
  return result;
}

MergeNotes HistogramSum::Merge(const Histogram& histogram, int sign) {
  MergeNotes notes;
  notes.conflicting_resets = MergeHints(reset_hint_, histogram.reset_hint);
  count_.Add(sign * histogram.count);
  sum_.Add(sign * histogram.sum);
  if (uses_custom_buckets()) {
    notes.bounds_reconciled = MergeCustom(histogram, sign);
  } else {
    MergeExponential(histogram, sign);
  }
  return notes;
}

bool HistogramSum::MergeCustom(const Histogram& histogram, int sign) {
  const BucketRow other = Unpack(histogram.positive_spans, histogram.positive_counts);
  if (custom_values_ == histogram.custom_values) {
    AddRow(positive_, other, sign);
    return false;
  }
  const std::vector<double> common = CommonBounds(custom_values_, histogram.custom_values);
  const auto index_map = [&common](const std::vector<double>& bounds) {
    return [map = MapBounds(bounds, common)](int32_t index) {
      const auto last = static_cast<int32_t>(map.size()) - 1;
      return map[static_cast<size_t>(std::clamp(index, 0, last))];
    };
  };
  positive_ = Reindex(positive_, index_map(custom_values_));
  AddRow(positive_, Finish(Reindex(Start(other), index_map(histogram.custom_values))), sign);
  DropEmpty(positive_);
  custom_values_ = common;
  return true;
}

void HistogramSum::MergeExponential(const Histogram& histogram, int sign) {
  const BucketRows rows = UnpackBoth(histogram);
  zero_count_.Add(sign * ReconcileZeroBuckets(histogram, rows));
  if (histogram.schema < schema_) {
    const auto coarser = [from = schema_, to = histogram.schema](int32_t index) {
      return IndexInSchema(index, from, to);
    };
    positive_ = Reindex(positive_, coarser);
    negative_ = Reindex(negative_, coarser);
    schema_ = histogram.schema;
  }
  AddRow(positive_, Outside(rows.positive, histogram.schema), sign);
  AddRow(negative_, Outside(rows.negative, histogram.schema), sign);
}

double HistogramSum::ReconcileZeroBuckets(const Histogram& histogram, const BucketRows& rows) {
  double count = histogram.zero_count;
  double threshold = histogram.zero_threshold;
  while (threshold != zero_threshold_) {
    if (zero_threshold_ > threshold) {
      threshold = ThresholdOutsideBuckets(rows, histogram.schema, zero_threshold_);
      count = WidenedZeroCount(rows, histogram.schema, histogram.zero_count, threshold);
    } else if (threshold > zero_threshold_) {
      WidenZeroBucket(threshold);
    } else {
      break;  // a threshold is NaN
    }
  }
  return count;
}

void HistogramSum::WidenZeroBucket(double threshold) {
  zero_threshold_ =
      ThresholdOutsideBuckets({Finish(positive_), Finish(negative_)}, schema_, threshold);
  AbsorbIntoZeroBucket(positive_);
  AbsorbIntoZeroBucket(negative_);
}

void HistogramSum::AbsorbIntoZeroBucket(SumRow& row) {
  auto end = row.begin();
  while (end != row.end() && BelongsToZeroBucket(end->index, schema_, zero_threshold_)) {
    AddSum(zero_count_, end->count);
    ++end;
  }
  row.erase(row.begin(), end);
  DropEmpty(row);
}

// The buckets of another histogram, in the schema of this one, that its zero bucket does not hold.
BucketRow HistogramSum::Outside(const BucketRow& row, int32_t schema) const {
  BucketRow outside = schema > schema_ ? ReduceRow(row, schema, schema_) : row;
  std::erase_if(outside, [this](const IndexedCount& bucket) {
    return BucketUpperBound(bucket.index, schema_, {}) <= zero_threshold_;
  });
  return outside;
}

template <typename Visitor>
void HistogramSum::VisitFields(Visitor visit) {
  visit(zero_count_);
  visit(count_);
  visit(sum_);
  for (IndexedSum& bucket : positive_) visit(bucket.count);
  for (IndexedSum& bucket : negative_) visit(bucket.count);
}

void HistogramSum::Scale(double factor) {
  VisitFields([factor](KahanSum& field) {
    field.sum *= factor;
    field.compensation *= factor;
  });
}

void HistogramSum::Divide(double divisor) {
  VisitFields([divisor](KahanSum& field) {
    field.sum /= divisor;
    field.compensation /= divisor;
  });
}

bool HistogramSum::HasOverflow() const {
  const auto infinite = [](const IndexedSum& bucket) { return std::isinf(bucket.count.sum); };
  return std::isinf(zero_count_.sum) || std::isinf(count_.sum) || std::isinf(sum_.sum) ||
         std::any_of(positive_.begin(), positive_.end(), infinite) ||
         std::any_of(negative_.begin(), negative_.end(), infinite);
}

Histogram HistogramSum::Total() const {
  Histogram total;
  total.reset_hint = reset_hint_;
  total.schema = schema_;
  total.zero_threshold = zero_threshold_;
  total.zero_count = zero_count_.Total();
  total.count = count_.Total();
  total.sum = sum_.Total();
  Pack(Finish(positive_), total.positive_spans, total.positive_counts);
  Pack(Finish(negative_), total.negative_spans, total.negative_counts);
  total.custom_values = custom_values_;
  return total;
}

}  // namespace lockstep::engine
