// HistogramSum: adds native histograms with Kahan-Neumaier compensation in every field.
//
// Reconciles schemas, zero buckets and custom bounds as histogram_math.h says. Not thread-safe;
// copyable, so that a caller can try an addition and go back.
// Source: prometheus/prometheus, model/histogram/float_histogram.go (KahanAdd).
#pragma once

#include <vector>

#include "model/histogram.h"
#include "query/engine/kernels/histogram_math.h"
#include "query/engine/kernels/histogram_row.h"
#include "query/engine/kernels/kahan.h"
#include "query/engine/kernels/zero_bucket.h"

namespace lockstep::engine {

class HistogramSum {
 public:
  explicit HistogramSum(const Histogram& first);

  // Precondition for both: `histogram` is of the same bucket family as the first one.
  MergeNotes Add(const Histogram& histogram) { return Merge(histogram, +1); }
  MergeNotes Subtract(const Histogram& histogram) { return Merge(histogram, -1); }

  void Scale(double factor);
  void Divide(double divisor);
  // Whether a count or the sum has become infinite.
  bool HasOverflow() const;
  bool uses_custom_buckets() const { return schema_ == kCustomBucketsSchema; }
  // May hold empty buckets.
  Histogram Total() const;

 private:
  struct IndexedSum {
    int32_t index = 0;
    KahanSum count;
  };
  using SumRow = std::vector<IndexedSum>;

  static SumRow Start(const BucketRow& row);
  static BucketRow Finish(const SumRow& row);
  static void AddRow(SumRow& row, const BucketRow& other, int sign);
  static void DropEmpty(SumRow& row);
  // Gives every bucket the index that `to` says; buckets that meet are added up.
  template <typename IndexMap>
  static SumRow Reindex(const SumRow& row, IndexMap to);

  MergeNotes Merge(const Histogram& histogram, int sign);
  void MergeExponential(const Histogram& histogram, int sign);
  // Returns whether the bounds differed.
  bool MergeCustom(const Histogram& histogram, int sign);
  // Makes both zero buckets equally wide and returns the count that `histogram`'s then has.
  double ReconcileZeroBuckets(const Histogram& histogram, const BucketRows& rows);
  void WidenZeroBucket(double threshold);
  void AbsorbIntoZeroBucket(SumRow& row);
  BucketRow Outside(const BucketRow& row, int32_t schema) const;
  template <typename Visitor>
  void VisitFields(Visitor visit);

  CounterResetHint reset_hint_;
  int32_t schema_;
  double zero_threshold_;
  KahanSum zero_count_;
  KahanSum count_;
  KahanSum sum_;
  SumRow positive_;
  SumRow negative_;
  std::vector<double> custom_values_;
};

}  // namespace lockstep::engine
