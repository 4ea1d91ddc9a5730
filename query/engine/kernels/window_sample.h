// One sample of a window, of either kind. Inside the kernels only.
#pragma once

#include "query/engine/kernels/counter_rate.h"

namespace lockstep::engine {

// Borrows from the window.
struct WindowSample {
  SampleTimes times;
  double value = 0;
  const Histogram* histogram = nullptr;  // null: a float
};

inline WindowSample FloatAt(const Window& window, size_t i) {
  return {
      {StartOf(window.start_timestamps_ms, i), window.timestamps_ms[i]}, window.values[i], nullptr};
}

inline WindowSample HistogramAt(const Window& window, size_t i) {
  const HistogramSample& sample = window.histograms[i];
  return {{sample.start_timestamp_ms, sample.timestamp_ms}, 0, sample.histogram.get()};
}

}  // namespace lockstep::engine
