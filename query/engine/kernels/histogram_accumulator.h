// HistogramAccumulator: the sum or average of native histograms, over a window or a group.
//
// An average goes on incrementally when the sum would overflow, as RunningMean does for floats.
// Source: prometheus/prometheus, promql/functions.go and promql/engine.go (aggregation).
#pragma once

#include <cstdint>
#include <optional>

#include "model/histogram.h"
#include "query/engine/kernels/annotation.h"
#include "query/engine/kernels/histogram_sum.h"

namespace lockstep::engine {

enum class HistogramFold : uint8_t { kSum, kMean };

class HistogramAccumulator {
 public:
  explicit HistogramAccumulator(HistogramFold fold) : fold_(fold) {}

  // Once exponential and custom buckets have met there is no result any more: that is noted once,
  // and what comes after is ignored.
  void Add(const Histogram& histogram, AnnotationSink& sink);

  bool empty() const { return count_ == 0; }
  // Compacted. Nothing if empty or if bucket families met. Notes when hints contradicted each
  // other.
  std::optional<Histogram> Finish(AnnotationSink& sink);

 private:
  void AddToMean(const Histogram& histogram, AnnotationSink& sink);
  void NoteHint(CounterResetHint hint);

  HistogramFold fold_;
  std::optional<HistogramSum> sum_;  // or the mean once incremental
  uint64_t count_ = 0;
  bool incremental_ = false;
  bool incompatible_ = false;
  bool reset_seen_ = false;
  bool not_reset_seen_ = false;
};

}  // namespace lockstep::engine
