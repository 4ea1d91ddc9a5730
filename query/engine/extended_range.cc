#include "query/engine/extended_range.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {
namespace {

using promql::RangeEdges;

FloatPoint PointAt(const Window& window, size_t index) {
  return {window.timestamps_ms[index], window.values[index]};
}

// The value at the start of the range. `first` is the newest sample at or before it, else the first.
double LeftEdge(const Window& window, size_t first) {
  const bool between = window.edges == RangeEdges::kSmoothed &&
                       window.timestamps_ms[first] < window.range_start_ms &&
                       first + 1 < window.values.size();
  if (!between) return window.values[first];
  return Interpolate(PointAt(window, first), PointAt(window, first + 1), window.range_start_ms,
                     SeriesKind::kGauge);
}

// The value at the end of the range. `last` is the first sample at or behind it, else the last.
double RightEdge(const Window& window, size_t last) {
  const bool between = window.edges == RangeEdges::kSmoothed && last > 0 &&
                       window.timestamps_ms[last] > window.range_end_ms;
  if (!between) return window.values[last];
  return Interpolate(PointAt(window, last - 1), PointAt(window, last), window.range_end_ms,
                     SeriesKind::kGauge);
}

void CopyExtended(const Window& window, SampleColumns& samples) {
  const auto& times = window.timestamps_ms;
  if (times.empty()) return;
  const auto behind_start = std::upper_bound(times.begin(), times.end(), window.range_start_ms);
  const auto at_end = std::lower_bound(times.begin(), times.end(), window.range_end_ms);
  const size_t inside_begin = static_cast<size_t>(behind_start - times.begin());
  const size_t inside_end = static_cast<size_t>(at_end - times.begin());
  const size_t last = std::min(inside_end, times.size() - 1);
  if (times[last] <= window.range_start_ms) return;
  samples.Append(window.range_start_ms, LeftEdge(window, inside_begin > 0 ? inside_begin - 1 : 0));
  for (size_t i = inside_begin; i < inside_end; ++i) samples.Append(times[i], window.values[i]);
  samples.Append(window.range_end_ms, RightEdge(window, last));
}

}  // namespace

absl::Status CopyWindow(const Window& window, SampleColumns& samples) {
  if (window.edges != RangeEdges::kPlain) {
    if (!window.histograms.empty()) {
      return absl::FailedPreconditionError(
          absl::StrFormat("%s modifier is not supported with histograms",
                          window.edges == RangeEdges::kSmoothed ? "smoothed" : "anchored"));
    }
    CopyExtended(window, samples);
    return absl::OkStatus();
  }
  samples.timestamps_ms.assign(window.timestamps_ms.begin(), window.timestamps_ms.end());
  samples.values.assign(window.values.begin(), window.values.end());
  samples.histograms.assign(window.histograms.begin(), window.histograms.end());
  return absl::OkStatus();
}

}  // namespace lockstep::engine
