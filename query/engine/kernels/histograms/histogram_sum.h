// HistogramSum: adds native histograms, with or without Kahan-Neumaier compensation in every field.
//
// Reconciles schemas, zero buckets and custom bounds as described in histogram_math.h. Counts are
// added in the order of Prometheus, so that the results are the same to the bit. Not thread-safe;
// copyable, so that a caller can try an addition and revert it. Source: prometheus/prometheus,
// model/histogram/float_histogram.go (Add, Sub, KahanAdd).
#pragma once

#include <cstdint>
#include <vector>

#include "model/histogram.h"
#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/histograms/histogram_row.h"
#include "query/engine/kernels/numbers/kahan.h"

namespace lockstep::engine {

// kNone rounds after every count, as for two operands; kKahan is for sums of many histograms.
enum class Compensation : uint8_t { kNone, kKahan };

class HistogramSum {
 public:
  HistogramSum(const Histogram& first, Compensation compensation);

  // Precondition for both: `histogram` has the same bucket family as the first one.
  MergeNotes Add(const Histogram& histogram) { return Merge(histogram, +1); }
  MergeNotes Subtract(const Histogram& histogram) { return Merge(histogram, -1); }

  void Scale(double factor);
  void Divide(double divisor);
  // Whether a count or the sum has become infinite.
  bool HasOverflow() const;
  bool uses_custom_buckets() const { return schema_ == kCustomBucketsSchema; }
  // May have empty buckets.
  Histogram Total() const;

 private:
  struct IndexedSum {
    int32_t index = 0;
    KahanSum count;
  };
  using SumRow = std::vector<IndexedSum>;

  static SumRow Start(const BucketRow& row);
  static void DropEmpty(SumRow& row);
  // Merges buckets with the same index in the coarser schema.
  SumRow Reduce(const SumRow& row, int32_t from_schema, int32_t to_schema) const;

  double Rounded(const KahanSum& sum) const;
  BucketRow Rounded(const SumRow& row) const;
  void AddTo(KahanSum& sum, const KahanSum& other, int sign = +1) const;
  void AddRow(SumRow& row, const SumRow& other, int sign) const;

  MergeNotes Merge(const Histogram& histogram, int sign);
  void MergeExponential(const Histogram& histogram, int sign);
  // Returns whether the bounds differed.
  bool MergeCustom(const Histogram& histogram, int sign);
  // Makes both zero buckets equally wide and returns the resulting zero count of `histogram`.
  KahanSum ReconcileZeroBuckets(const Histogram& histogram, const BucketRows& rows);
  void WidenZeroBucket(double threshold);
  void AbsorbIntoZeroBucket(SumRow& row);
  SumRow Outside(const BucketRow& row, int32_t schema) const;
  template <typename Visitor>
  void VisitFields(Visitor visit);

  Compensation compensation_;
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
