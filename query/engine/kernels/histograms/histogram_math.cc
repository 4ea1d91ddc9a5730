#include "query/engine/kernels/histograms/histogram_math.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "model/sample.h"
#include "query/engine/kernels/histograms/histogram_row.h"
#include "query/engine/kernels/histograms/histogram_sum.h"

namespace lockstep::engine {
namespace {

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool SameRow(const BucketRow& a, const BucketRow& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const IndexedCount& x, const IndexedCount& y) {
                      return x.index == y.index && SameBits(x.count, y.count);
                    });
}

void CompactSide(std::vector<BucketSpan>& spans, std::vector<double>& counts) {
  BucketRow row = Unpack(spans, counts);
  std::erase_if(row, [](const IndexedCount& bucket) { return bucket.count == 0; });
  Pack(row, spans, counts);
}

template <typename Visitor>
void VisitFields(Histogram& histogram, Visitor visit) {
  visit(histogram.zero_count);
  visit(histogram.count);
  visit(histogram.sum);
  for (double& count : histogram.positive_counts) visit(count);
  for (double& count : histogram.negative_counts) visit(count);
}

void ReduceSide(std::vector<BucketSpan>& spans, std::vector<double>& counts, int32_t from_schema,
                int32_t to_schema) {
  Pack(ReduceRow(Unpack(spans, counts), from_schema, to_schema), spans, counts);
}

}  // namespace

bool SameBucketFamily(const Histogram& a, const Histogram& b) {
  return a.uses_custom_buckets() == b.uses_custom_buckets();
}

MergeNotes Add(Histogram& a, const Histogram& b) {
  HistogramSum sum(a, Compensation::kNone);
  const MergeNotes notes = sum.Add(b);
  a = sum.Total();
  return notes;
}

MergeNotes Subtract(Histogram& a, const Histogram& b) {
  HistogramSum sum(a, Compensation::kNone);
  const MergeNotes notes = sum.Subtract(b);
  a = sum.Total();
  return notes;
}

void Scale(Histogram& histogram, double factor) {
  VisitFields(histogram, [factor](double& field) { field *= factor; });
  if (factor < 0) histogram.reset_hint = CounterResetHint::kGauge;
}

void Divide(Histogram& histogram, double divisor) {
  if (divisor == 0) {
    histogram.positive_spans.clear();
    histogram.positive_counts.clear();
    histogram.negative_spans.clear();
    histogram.negative_counts.clear();
  }
  VisitFields(histogram, [divisor](double& field) { field /= divisor; });
  if (divisor < 0) histogram.reset_hint = CounterResetHint::kGauge;
}

bool HistogramsEqual(const Histogram& a, const Histogram& b) {
  return a.schema == b.schema && SameBits(a.count, b.count) && SameBits(a.sum, b.sum) &&
         (!a.uses_custom_buckets() || a.custom_values == b.custom_values) &&
         a.zero_threshold == b.zero_threshold && SameBits(a.zero_count, b.zero_count) &&
         SameRow(Unpack(a.negative_spans, a.negative_counts),
                 Unpack(b.negative_spans, b.negative_counts)) &&
         SameRow(Unpack(a.positive_spans, a.positive_counts),
                 Unpack(b.positive_spans, b.positive_counts));
}

void Compact(Histogram& histogram) {
  CompactSide(histogram.positive_spans, histogram.positive_counts);
  CompactSide(histogram.negative_spans, histogram.negative_counts);
}

Histogram ReduceSchema(const Histogram& histogram, int32_t schema) {
  Histogram reduced = histogram;
  if (schema == histogram.schema) return reduced;
  LOCKSTEP_CHECK(schema < histogram.schema && !histogram.uses_custom_buckets() &&
                 schema != kCustomBucketsSchema);
  ReduceSide(reduced.positive_spans, reduced.positive_counts, histogram.schema, schema);
  ReduceSide(reduced.negative_spans, reduced.negative_counts, histogram.schema, schema);
  reduced.schema = schema;
  return reduced;
}

bool IsStaleMarker(const Histogram& histogram) { return IsStaleNan(histogram.sum); }

}  // namespace lockstep::engine
