#include "query/engine/kernels/histograms/histogram_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/engine/kernels/histograms/histogram_buckets.h"

namespace lockstep::engine {
namespace {

// Merges hints for a sum: equal hints stay, a gauge wins, anything else becomes unknown. Returns
// whether one operand reports a reset and the other reports none.
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

}  // namespace

HistogramSum::HistogramSum(const Histogram& first, Compensation compensation)
    : compensation_(compensation),
      reset_hint_(first.reset_hint),
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

void HistogramSum::DropEmpty(SumRow& row) {
  std::erase_if(row, [](const IndexedSum& bucket) {
    return bucket.count.sum == 0 && bucket.count.compensation == 0;
  });
}

HistogramSum::SumRow HistogramSum::Reduce(const SumRow& row, int32_t from_schema,
                                          int32_t to_schema) const {
  SumRow reduced;
  for (const IndexedSum& bucket : row) {
    const int32_t index = IndexInSchema(bucket.index, from_schema, to_schema);
    if (!reduced.empty() && reduced.back().index == index) {
      AddTo(reduced.back().count, bucket.count);
    } else {
      reduced.push_back({index, bucket.count});
    }
  }
  return reduced;
}

double HistogramSum::Rounded(const KahanSum& sum) const {
  return compensation_ == Compensation::kKahan ? sum.Total() : sum.sum;
}

BucketRow HistogramSum::Rounded(const SumRow& row) const {
  BucketRow buckets;
  buckets.reserve(row.size());
  for (const IndexedSum& bucket : row) buckets.push_back({bucket.index, Rounded(bucket.count)});
  return buckets;
}

void HistogramSum::AddTo(KahanSum& sum, const KahanSum& other, int sign) const {
  sum.Add(sign * other.sum);
  if (compensation_ == Compensation::kKahan && other.compensation != 0) {
    sum.Add(sign * other.compensation);
  }
}

void HistogramSum::AddRow(SumRow& row, const SumRow& other, int sign) const {
  SumRow merged;
  merged.reserve(row.size() + other.size());
  auto at = row.begin();
  for (const IndexedSum& bucket : other) {
    while (at != row.end() && at->index < bucket.index) merged.push_back(*at++);
    if (at != row.end() && at->index == bucket.index) {
      merged.push_back(*at++);
      AddTo(merged.back().count, bucket.count, sign);
    } else {
      merged.push_back({bucket.index, {sign * bucket.count.sum, sign * bucket.count.compensation}});
    }
  }
  merged.insert(merged.end(), at, row.end());
  row = std::move(merged);
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
  const SumRow other = Start(Unpack(histogram.positive_spans, histogram.positive_counts));
  if (custom_values_ == histogram.custom_values) {
    AddRow(positive_, other, sign);
    return false;
  }
  std::vector<double> common = CommonBounds(custom_values_, histogram.custom_values);
  std::vector<KahanSum> counts(common.size() + 1);
  const auto collect = [&](const SumRow& row, const std::vector<double>& bounds, int row_sign) {
    const std::vector<int32_t> map = MapBounds(bounds, common);
    const auto last = static_cast<int32_t>(bounds.size());
    for (const IndexedSum& bucket : row) {
      const int32_t index = map[static_cast<size_t>(std::clamp(bucket.index, 0, last))];
      AddTo(counts[static_cast<size_t>(index)], bucket.count, row_sign);
    }
  };
  collect(positive_, custom_values_, +1);
  collect(other, histogram.custom_values, sign);
  positive_.clear();
  for (const KahanSum& count : counts) {
    positive_.push_back({static_cast<int32_t>(positive_.size()), count});
  }
  DropEmpty(positive_);
  custom_values_ = std::move(common);
  return true;
}

void HistogramSum::MergeExponential(const Histogram& histogram, int sign) {
  const BucketRows rows = UnpackBoth(histogram);
  AddTo(zero_count_, ReconcileZeroBuckets(histogram, rows), sign);
  if (histogram.schema < schema_) {
    positive_ = Reduce(positive_, schema_, histogram.schema);
    negative_ = Reduce(negative_, schema_, histogram.schema);
    schema_ = histogram.schema;
  }
  AddRow(positive_, Outside(rows.positive, histogram.schema), sign);
  AddRow(negative_, Outside(rows.negative, histogram.schema), sign);
}

KahanSum HistogramSum::ReconcileZeroBuckets(const Histogram& histogram, const BucketRows& rows) {
  KahanSum count{histogram.zero_count, 0};
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
      ThresholdOutsideBuckets({Rounded(positive_), Rounded(negative_)}, schema_, threshold);
  AbsorbIntoZeroBucket(positive_);
  AbsorbIntoZeroBucket(negative_);
}

void HistogramSum::AbsorbIntoZeroBucket(SumRow& row) {
  auto end = row.begin();
  while (end != row.end() && BelongsToZeroBucket(end->index, schema_, zero_threshold_)) {
    AddTo(zero_count_, end->count);
    ++end;
  }
  row.erase(row.begin(), end);
  DropEmpty(row);
}

// The buckets of another histogram, in this histogram's schema, that are outside this zero bucket.
HistogramSum::SumRow HistogramSum::Outside(const BucketRow& row, int32_t schema) const {
  SumRow outside = Start(row);
  if (schema > schema_) outside = Reduce(outside, schema, schema_);
  std::erase_if(outside, [this](const IndexedSum& bucket) {
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
  total.zero_count = Rounded(zero_count_);
  total.count = Rounded(count_);
  total.sum = Rounded(sum_);
  Pack(Rounded(positive_), total.positive_spans, total.positive_counts);
  Pack(Rounded(negative_), total.negative_spans, total.negative_counts);
  total.custom_values = custom_values_;
  return total;
}

}  // namespace lockstep::engine
