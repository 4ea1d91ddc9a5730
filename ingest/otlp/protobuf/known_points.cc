#include "ingest/otlp/protobuf/known_points.h"

#include <algorithm>

namespace lockstep::otlp {
namespace {

// Adds a histogram's series as long as all are known.
class HistogramSamples {
 public:
  HistogramSamples(const Spelling& spelling, const PointTimes& times, KnownSamples& known)
      : spelling_(spelling), times_(times), known_(known) {}

  void Add(SeriesPart part, double bound, double value) {
    all_are_known_ = all_are_known_ && known_.Add(SpellingOf(spelling_, part, bound),
                                                  {times_.time_ms, value}, times_.start_ms);
  }
  bool all_are_known() const { return all_are_known_; }

 private:
  const Spelling& spelling_;
  const PointTimes& times_;
  KnownSamples& known_;
  bool all_are_known_ = true;
};

void AddBuckets(const PlainHistogramPoint& point, HistogramSamples& samples) {
  uint64_t count = 0;
  for (size_t i = 0; i < std::min(point.bounds.size(), point.bucket_counts.size()); ++i) {
    count += point.bucket_counts.Count(i);
    if (point.bounds.Bound(i) == kNoBound) break;
    samples.Add(SeriesPart::kBucket, point.bounds.Bound(i), static_cast<double>(count));
  }
  samples.Add(SeriesPart::kBucket, kNoBound, static_cast<double>(point.count));
}

}  // namespace

bool AddKnown(const Spelling& spelling, const PointTimes& times, const PlainNumberPoint& point,
              KnownSamples& known) {
  return known.Add(spelling, {times.time_ms, point.value}, times.start_ms);
}

bool AddKnown(const Spelling& spelling, const PointTimes& times, const PlainHistogramPoint& point,
              KnownSamples& known) {
  const size_t size_before = known.size();
  HistogramSamples samples(spelling, times, known);
  if (point.has_sum) samples.Add(SeriesPart::kSum, 0, point.sum);
  samples.Add(SeriesPart::kCount, 0, static_cast<double>(point.count));
  AddBuckets(point, samples);
  if (!samples.all_are_known()) known.Truncate(size_before);
  return samples.all_are_known();
}

}  // namespace lockstep::otlp
