// resets and changes: how often neighbouring samples of a window differ.
#include <algorithm>
#include <cmath>

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/windows/counter_rate.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

// Both kinds of samples of a window in time order.
class MergedSamples {
 public:
  MergedSamples(const Window& window, size_t first_float, size_t first_histogram)
      : window_(window), float_(first_float), histogram_(first_histogram) {}

  bool Next(WindowSample& sample) {
    const bool has_float = float_ < window_.values.size();
    const bool has_histogram = histogram_ < window_.histograms.size();
    if (!has_float && !has_histogram) return false;
    const bool take_float =
        has_float && (!has_histogram ||
                      window_.timestamps_ms[float_] < window_.histograms[histogram_].timestamp_ms);
    if (take_float) {
      sample = FloatAt(window_, float_++);
    } else {
      sample = HistogramAt(window_, histogram_++);
    }
    return true;
  }

 private:
  const Window& window_;
  size_t float_;
  size_t histogram_;
};

// The number of samples of a column at or before the start of the range.
size_t CountUpToStart(const Window& window, std::span<const int64_t> timestamps_ms) {
  const auto end =
      std::upper_bound(timestamps_ms.begin(), timestamps_ms.end(), window.range_start_ms);
  return static_cast<size_t>(end - timestamps_ms.begin());
}

size_t CountUpToStart(const Window& window, std::span<const HistogramSample> histograms) {
  const auto end = std::partition_point(
      histograms.begin(), histograms.end(),
      [&window](const HistogramSample& h) { return h.timestamp_ms <= window.range_start_ms; });
  return static_cast<size_t>(end - histograms.begin());
}

// With anchored edges, begins with the newest sample of either kind at or before the start of the
// range; empty if no sample follows it.
std::optional<MergedSamples> SamplesToCompare(const Window& window) {
  if (window.edges != promql::RangeEdges::kAnchored) return MergedSamples(window, 0, 0);
  const size_t floats = CountUpToStart(window, window.timestamps_ms);
  const size_t histograms = CountUpToStart(window, window.histograms);
  if (floats == window.values.size() && histograms == window.histograms.size()) {
    return std::nullopt;
  }
  if (floats == 0 && histograms == 0) return MergedSamples(window, 0, 0);
  const bool anchor_is_float =
      histograms == 0 || (floats > 0 && window.timestamps_ms[floats - 1] >=
                                            window.histograms[histograms - 1].timestamp_ms);
  return anchor_is_float ? MergedSamples(window, floats - 1, histograms)
                         : MergedSamples(window, floats, histograms - 1);
}

template <typename Differ>
WindowResult CountDifferences(const Window& window, Differ differ) {
  std::optional<MergedSamples> samples = SamplesToCompare(window);
  WindowSample previous;
  if (!samples || !samples->Next(previous)) return WindowResult::None();
  size_t count = 0;
  for (WindowSample current; samples->Next(current); previous = current) {
    const bool kind_changed = (previous.histogram == nullptr) != (current.histogram == nullptr);
    if (kind_changed || differ(previous, current)) ++count;
  }
  return WindowResult::Float(static_cast<double>(count));
}

bool IsReset(const WindowSample& previous, const WindowSample& current) {
  if (RestartedByStartTime(previous.times, current.times)) return true;
  if (current.histogram != nullptr) return DetectReset(*current.histogram, *previous.histogram);
  return current.value < previous.value;
}

bool IsChange(const WindowSample& previous, const WindowSample& current) {
  if (current.histogram != nullptr) {
    return !HistogramsEqual(*current.histogram, *previous.histogram);
  }
  return current.value != previous.value &&
         !(std::isnan(current.value) && std::isnan(previous.value));
}

}  // namespace

WindowResult Resets(const Window& window, const WindowContext& /*context*/) {
  return CountDifferences(window, IsReset);
}

WindowResult Changes(const Window& window, const WindowContext& /*context*/) {
  return CountDifferences(window, IsChange);
}

}  // namespace lockstep::engine
