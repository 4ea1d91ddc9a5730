// Input builders for the tests of kernels.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/sample.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {

// Every NaN counts as the same.
inline bool HaveSameBits(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// A run of buckets with the given counts, the first at index `offset`.
struct BucketRun {
  int32_t offset = 0;
  std::vector<double> counts = {};
};

struct HistogramSpec {
  int32_t schema = 0;
  double count = 0;
  double sum = 0;
  double zero_threshold = 0;
  double zero_count = 0;
  BucketRun positive = {};
  BucketRun negative = {};
  std::vector<double> custom_values = {};
  CounterResetHint hint = CounterResetHint::kUnknown;
};

inline Histogram Make(const HistogramSpec& spec) {
  Histogram histogram;
  histogram.reset_hint = spec.hint;
  histogram.schema = spec.schema;
  histogram.zero_threshold = spec.zero_threshold;
  histogram.zero_count = spec.zero_count;
  histogram.count = spec.count;
  histogram.sum = spec.sum;
  histogram.custom_values = spec.custom_values;
  const auto side = [](const BucketRun& run, std::vector<BucketSpan>& spans,
                       std::vector<double>& counts) {
    if (run.counts.empty()) return;
    spans = {{run.offset, static_cast<uint32_t>(run.counts.size())}};
    counts = run.counts;
  };
  side(spec.positive, histogram.positive_spans, histogram.positive_counts);
  side(spec.negative, histogram.negative_spans, histogram.negative_counts);
  return histogram;
}

// A series of samples and a window over all of them.
class TestSeries {
 public:
  TestSeries() = default;
  // Values are one step apart, the first at `first_ms`.
  TestSeries(int64_t first_ms, int64_t step_ms, const std::vector<double>& values) {
    for (const double value : values) {
      Add(first_ms, value);
      first_ms += step_ms;
    }
  }

  TestSeries& Add(int64_t timestamp_ms, double value) {
    columns_.Append(timestamp_ms, value);
    return *this;
  }
  TestSeries& Add(int64_t timestamp_ms, Histogram histogram) {
    columns_.histograms.push_back(
        {timestamp_ms, std::make_shared<const Histogram>(std::move(histogram))});
    return *this;
  }

  Window Over(int64_t range_start_ms, int64_t range_end_ms,
              promql::RangeEdges edges = promql::RangeEdges::kPlain) const {
    Window window;
    window.timestamps_ms = columns_.timestamps_ms;
    window.values = columns_.values;
    window.histograms = columns_.histograms;
    window.range_start_ms = range_start_ms;
    window.range_end_ms = range_end_ms;
    window.edges = edges;
    return window;
  }

 private:
  SampleColumns columns_;
};

struct Evaluated {
  WindowResult result;
  std::vector<Annotation> annotations;
};

inline Evaluated Evaluate(promql::FunctionId id, const Window& window,
                          const std::vector<double>& params = {}, int64_t evaluation_time_ms = 0) {
  AnnotationSink sink;
  Evaluated evaluated;
  evaluated.result =
      FindWindowFunction(id)(window, WindowContext{params, evaluation_time_ms, &sink});
  evaluated.annotations = sink.Take();
  return evaluated;
}

}  // namespace lockstep::engine
