// ColumnsView: a view of the samples of one series in columns owned by the caller. Follows the
// rules of SampleColumns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace lockstep {

struct ColumnsView {
  std::span<const int64_t> timestamps_ms;  // one for each of `values`
  std::span<const double> values;
  std::span<const HistogramSample> histograms;
  std::span<const int64_t>
      start_timestamps_ms;  // index of the first of `values`, as in SampleColumns

  ColumnsView() = default;
  // Must not outlive the columns.
  ColumnsView(const SampleColumns& columns)  // NOLINT(google-explicit-constructor): it is one
      : timestamps_ms(columns.timestamps_ms),
        values(columns.values),
        histograms(columns.histograms),
        start_timestamps_ms(columns.start_timestamps_ms) {}

  size_t size() const { return values.size() + histograms.size(); }

  // The samples that lie in the range.
  ColumnsView In(TimeRange range) const {
    ColumnsView part;
    if (range.max_ms < range.min_ms) return part;
    const auto first = std::lower_bound(timestamps_ms.begin(), timestamps_ms.end(), range.min_ms);
    const auto last = std::upper_bound(first, timestamps_ms.end(), range.max_ms);
    const auto begin = static_cast<size_t>(first - timestamps_ms.begin());
    const auto count = static_cast<size_t>(last - first);
    part.timestamps_ms = timestamps_ms.subspan(begin, count);
    part.values = values.subspan(begin, count);
    const size_t start_count = start_timestamps_ms.size();
    part.start_timestamps_ms = start_timestamps_ms.subspan(std::min(begin, start_count));
    part.start_timestamps_ms =
        part.start_timestamps_ms.first(std::min(count, part.start_timestamps_ms.size()));
    const auto time_of = [](const HistogramSample& sample) { return sample.timestamp_ms; };
    const auto h_first = std::ranges::lower_bound(histograms, range.min_ms, {}, time_of);
    const auto h_last = std::ranges::upper_bound(histograms, range.max_ms, {}, time_of);
    part.histograms = histograms.subspan(static_cast<size_t>(h_first - histograms.begin()),
                                         static_cast<size_t>(h_last - h_first));
    return part;
  }
};

}  // namespace lockstep
