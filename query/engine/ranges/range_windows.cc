#include "query/engine/ranges/range_windows.h"

#include <algorithm>

#include "query/engine/kernels/windows/time_cursor.h"
#include "query/engine/selectors/sample_cursor.h"
#include "query/engine/values/column.h"

namespace lockstep::engine {
namespace {

// Whether every range begins and ends at a bucket boundary.
bool AreWholeBuckets(const RangeWindows& windows) {
  const auto is_whole = [](int64_t ms) { return ms % kThinningBucketMs == 0; };
  return windows.edges == promql::RangeEdges::kPlain && is_whole(windows.range_ms) &&
         is_whole(windows.ends.start_ms) &&
         (windows.ends.count < 2 || is_whole(windows.ends.step_ms));
}

}  // namespace

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

WindowRow RowSlicer::Slice(const SampleColumns& samples, const StepBlock& steps) {
  const size_t count = steps.end - steps.begin;
  firsts_.resize(count);
  ends_.resize(count);
  TimeCursor first(samples.timestamps_ms);
  TimeCursor end(samples.timestamps_ms);
  int64_t end_ms = windows_.ends.TimeAt(steps.begin);
  for (size_t i = 0; i < count; ++i, end_ms += windows_.ends.step_ms) {
    firsts_[i] = static_cast<uint32_t>(first.CountUpTo(end_ms - windows_.range_ms));
    ends_[i] = static_cast<uint32_t>(end.CountUpTo(end_ms));
  }
  CountLeftOut(samples);
  return {.timestamps_ms = samples.timestamps_ms,
          .values = samples.values,
          .firsts = firsts_,
          .ends = ends_,
          .first_end_ms = windows_.ends.TimeAt(steps.begin),
          .step_ms = windows_.ends.step_ms,
          .range_ms = windows_.range_ms,
          .left_out_before = left_out_before_};
}

void RowSlicer::CountLeftOut(const SampleColumns& samples) {
  left_out_before_.clear();
  if (samples.left_out.empty()) return;
  left_out_before_.resize(samples.values.size() + 1);
  uint64_t count = 0;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    if (i < samples.left_out.size()) count += samples.left_out[i];
    left_out_before_[i + 1] = count;
  }
}

int64_t BudgetSize(const Window& window) {
  int64_t size = static_cast<int64_t>(window.float_count());
  for (const HistogramSample& sample : window.histograms) size += BudgetSize(*sample.histogram);
  return size;
}

SamplesNeeded SamplesNeededBy(promql::FunctionId id, const RangeWindows& windows) {
  using promql::FunctionId;
  if (!AreWholeBuckets(windows)) return SamplesNeeded::kAll;
  switch (id) {
    case FunctionId::kCountOverTime:
    case FunctionId::kPresentOverTime:
      return SamplesNeeded::kCount;
    case FunctionId::kMinOverTime:
      return SamplesNeeded::kLowest;
    case FunctionId::kMaxOverTime:
      return SamplesNeeded::kHighest;
    case FunctionId::kFirstOverTime:
    case FunctionId::kTsOfFirstOverTime:
      return SamplesNeeded::kFirst;
    case FunctionId::kLastOverTime:
    case FunctionId::kTsOfLastOverTime:
      return SamplesNeeded::kLast;
    case FunctionId::kDelta:
    case FunctionId::kIncrease:
    case FunctionId::kRate:
    case FunctionId::kResets:
      return SamplesNeeded::kEnds;
    default:
      return SamplesNeeded::kAll;
  }
}

}  // namespace lockstep::engine
