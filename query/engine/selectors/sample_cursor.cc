#include "query/engine/selectors/sample_cursor.h"

#include <algorithm>

#include "query/engine/kernels/histograms/histogram_math.h"

namespace lockstep::engine {

SampleCursor::Found SampleCursor::Advance(int64_t time_ms, int64_t lookback_ms) {
  const auto& times = columns_.timestamps_ms;
  const auto& histograms = columns_.histograms;
  while (next_float_ < times.size() && times[next_float_] <= time_ms) ++next_float_;
  while (next_histogram_ < histograms.size() &&
         histograms[next_histogram_].timestamp_ms <= time_ms) {
    ++next_histogram_;
  }
  Found found;
  if (next_float_ > 0) {
    found = {true, times[next_float_ - 1], columns_.values[next_float_ - 1], nullptr,
             columns_.StartOf(next_float_ - 1)};
  }
  if (next_histogram_ > 0) {
    const HistogramSample& sample = histograms[next_histogram_ - 1];
    if (!found.exists || sample.timestamp_ms > found.timestamp_ms) {
      found = {true, sample.timestamp_ms, 0, &sample, sample.start_timestamp_ms};
    }
  }
  if (found.exists && found.timestamp_ms <= time_ms - lookback_ms) found.exists = false;
  return found;
}

bool IsStaleMarker(const SampleCursor::Found& found) {
  return found.histogram != nullptr ? IsStaleMarker(*found.histogram->histogram)
                                    : IsStaleNan(found.value);
}

TimeRange ExtentOf(const SampleColumns& columns) {
  TimeRange extent{0, -1};
  if (!columns.timestamps_ms.empty()) {
    extent = {columns.timestamps_ms.front(), columns.timestamps_ms.back()};
  }
  if (columns.histograms.empty()) return extent;
  const TimeRange histograms{columns.histograms.front().timestamp_ms,
                             columns.histograms.back().timestamp_ms};
  if (columns.timestamps_ms.empty()) return histograms;
  return {std::min(extent.min_ms, histograms.min_ms), std::max(extent.max_ms, histograms.max_ms)};
}

}  // namespace lockstep::engine
