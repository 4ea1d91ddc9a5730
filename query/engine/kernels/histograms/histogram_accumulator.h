// HistogramAccumulator: the sum or average of native histograms, over a window or a group.
//
// An average continues incrementally if the sum would overflow, like RunningMean for floats.
// Source: prometheus/prometheus, promql/functions.go and promql/engine.go (aggregation).
#pragma once

#include <cstdint>
#include <optional>

#include "model/histogram.h"
#include "query/engine/kernels/histograms/histogram_sum.h"
#include "query/engine/kernels/text/annotation.h"

namespace lockstep::engine {

enum class HistogramFold : uint8_t { kSum, kMean };

class HistogramAccumulator {
 public:
  explicit HistogramAccumulator(HistogramFold fold) : fold_(fold) {}

  // Mixing exponential and custom buckets leaves no result: this is reported once, and later
  // histograms are ignored.
  void Add(const Histogram& histogram, AnnotationSink& sink);

  bool empty() const { return count_ == 0; }
  // Returns a compacted histogram; empty if nothing was added or bucket families were mixed.
  // Reports conflicting hints.
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
