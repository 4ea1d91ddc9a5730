// The *_over_time functions that only count or select samples.
#include <algorithm>
#include <limits>

#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

int64_t FirstFloatTime(const Window& window) {
  return window.values.empty() ? kNever : window.timestamps_ms.front();
}

int64_t FirstHistogramTime(const Window& window) {
  return window.histograms.empty() ? kNever : window.histograms.front().timestamp_ms;
}

// Whether the last sample of the window is a histogram.
bool EndsWithHistogram(const Window& window) {
  if (window.values.empty() || window.histograms.empty()) return window.values.empty();
  return window.histograms.back().timestamp_ms >= window.timestamps_ms.back();
}

WindowResult InSeconds(int64_t timestamp_ms) {
  return WindowResult::Float(static_cast<double>(timestamp_ms) / 1000);
}

}  // namespace

WindowResult CountOverTime(const Window& window, const WindowContext& /*context*/) {
  return WindowResult::Float(static_cast<double>(window.float_count() + window.histograms.size()));
}

WindowResult PresentOverTime(const Window& /*window*/, const WindowContext& /*context*/) {
  return WindowResult::Float(1);
}

WindowResult FirstOverTime(const Window& window, const WindowContext& /*context*/) {
  if (FirstFloatTime(window) < FirstHistogramTime(window)) {
    return WindowResult::Float(window.values.front());
  }
  return WindowResult::Of(window.histograms.front().histogram);
}

WindowResult LastOverTime(const Window& window, const WindowContext& /*context*/) {
  if (EndsWithHistogram(window)) return WindowResult::Of(window.histograms.back().histogram);
  return WindowResult::Float(window.values.back());
}

WindowResult TsOfFirstOverTime(const Window& window, const WindowContext& /*context*/) {
  return InSeconds(std::min(FirstFloatTime(window), FirstHistogramTime(window)));
}

WindowResult TsOfLastOverTime(const Window& window, const WindowContext& /*context*/) {
  return InSeconds(EndsWithHistogram(window) ? window.histograms.back().timestamp_ms
                                             : window.timestamps_ms.back());
}

}  // namespace lockstep::engine
