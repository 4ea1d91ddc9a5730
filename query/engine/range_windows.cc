#include "query/engine/range_windows.h"

#include <algorithm>

#include "query/engine/column.h"
#include "query/engine/sample_cursor.h"

namespace lockstep::engine {

StepBlock WindowSlider::Steps(size_t step_count) const {
  if (windows_.pinned) return {0, step_count};
  const TimeRange seen = ExtentOf(samples_);
  return windows_.ends.Within({seen.min_ms - windows_.margin_after_ms(),
                               seen.max_ms + windows_.range_ms + windows_.margin_before_ms() - 1});
}

uint64_t WindowSlider::LeftOutBeside(size_t begin, size_t end) const {
  uint64_t sum = 0;
  end = std::min(end, samples_.left_out.size());
  for (size_t i = begin; i < end; ++i) sum += samples_.left_out[i];
  return sum;
}

Window WindowSlider::At(size_t step) {
  const int64_t end_ms = windows_.ends.TimeAt(windows_.pinned ? 0 : step);
  const int64_t start_ms = end_ms - windows_.range_ms;
  const int64_t from_ms = start_ms - windows_.margin_before_ms();  // exclusive
  const int64_t to_ms = end_ms + windows_.margin_after_ms();

  const auto& times = samples_.timestamps_ms;
  const size_t first_before = first_float_, end_before = end_float_;
  while (end_float_ < times.size() && times[end_float_] <= to_ms) ++end_float_;
  while (first_float_ < end_float_ && times[first_float_] <= from_ms) ++first_float_;
  if (!samples_.left_out.empty()) {
    left_out_ += LeftOutBeside(end_before, end_float_);
    left_out_ -= LeftOutBeside(first_before, first_float_);
  }
  const auto& histograms = samples_.histograms;
  while (end_histogram_ < histograms.size() && histograms[end_histogram_].timestamp_ms <= to_ms) {
    ++end_histogram_;
  }
  while (first_histogram_ < end_histogram_ &&
         histograms[first_histogram_].timestamp_ms <= from_ms) {
    ++first_histogram_;
  }

  Window window;
  const size_t float_count = end_float_ - first_float_;
  window.timestamps_ms = {times.data() + first_float_, float_count};
  window.values = {samples_.values.data() + first_float_, float_count};
  window.histograms = {histograms.data() + first_histogram_, end_histogram_ - first_histogram_};
  window.left_out_count = left_out_;
  window.range_start_ms = start_ms;
  window.range_end_ms = end_ms;
  window.edges = windows_.edges;
  if (first_float_ < samples_.start_timestamps_ms.size()) {
    window.start_timestamps_ms = std::span(samples_.start_timestamps_ms).subspan(first_float_);
    window.start_timestamps_ms =
        window.start_timestamps_ms.first(std::min(float_count, window.start_timestamps_ms.size()));
  }
  return window;
}

int64_t BudgetSize(const Window& window) {
  int64_t size = static_cast<int64_t>(window.float_count());
  for (const HistogramSample& sample : window.histograms) size += BudgetSize(*sample.histogram);
  return size;
}

}  // namespace lockstep::engine
