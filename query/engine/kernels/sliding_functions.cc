#include "query/engine/kernels/sliding_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "query/engine/kernels/counter_rate.h"
#include "query/engine/kernels/kahan.h"
#include "query/engine/kernels/window_families.h"

namespace lockstep::engine {
namespace {

// A window as a half-open range of indices into its series.
struct Slice {
  size_t first = 0;
  size_t end = 0;
};

Slice SliceOf(const Window& window, const SampleColumns& series) {
  const auto first = static_cast<size_t>(window.values.data() - series.values.data());
  return {first, first + window.values.size()};
}

// The last multiple of the window's length inside the window: there is one.
int64_t BorderIn(const Window& window) {
  const int64_t length_ms = window.range_end_ms - window.range_start_ms;
  const int64_t rest_ms = window.range_end_ms % length_ms;
  return window.range_end_ms - (rest_ms < 0 ? rest_ms + length_ms : rest_ms);
}

// The compensated sum of a window that only moves forward. How it is added up depends on the window alone, not
// on those before it.
class SlidingSum {
 public:
  explicit SlidingSum(const std::vector<double>& values) : values_(values) {}

  KahanSum Over(const Window& window, Slice slice) {
    const int64_t length_ms = window.range_end_ms - window.range_start_ms;
    const bool has_passed = !has_begun_ || window.range_end_ms - border_ms_ >= length_ms;
    if (has_passed) Restart(window, slice, BorderIn(window));
    for (; end_ < slice.end; ++end_) newer_.Add(values_[end_]);
    KahanSum sum = newer_;
    if (slice.first < split_) {
      const KahanSum& older = tails_[split_ - 1 - slice.first];
      sum.Add(older.sum);
      sum.compensation += older.compensation;
    }
    return sum;
  }

 private:
  // Makes what lies before the border, or on it, the older part.
  void Restart(const Window& window, Slice slice, int64_t border_ms) {
    has_begun_ = true;
    border_ms_ = border_ms;
    const auto newer = std::ranges::upper_bound(window.timestamps_ms, border_ms);
    split_ = end_ = slice.first + static_cast<size_t>(newer - window.timestamps_ms.begin());
    newer_ = {};
    tails_.clear();
    KahanSum tail;
    for (size_t i = split_; i-- > slice.first;) {
      tail.Add(values_[i]);
      tails_.push_back(tail);
    }
  }

  const std::vector<double>& values_;
  bool has_begun_ = false;
  int64_t border_ms_ = 0;
  size_t split_ = 0;             // the older part ends and the newer one starts here
  size_t end_ = 0;               // of the newer part
  KahanSum newer_;               // of [split_, end_)
  std::vector<KahanSum> tails_;  // element n: of the last n+1 values before split_
};

// Where values are so large that a sum may leave the range of doubles on the way, or not, by the order of
// adding.
class LargeValues {
 public:
  explicit LargeValues(const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i]) && std::fabs(values[i]) > kLarge) places_.push_back(i);
    }
  }
  bool IsAnyIn(Slice slice) const {
    if (places_.empty()) return false;
    const auto first = std::ranges::lower_bound(places_, slice.first);
    return first != places_.end() && *first < slice.end;
  }

 private:
  static constexpr double kLarge = 1e290;

  std::vector<size_t> places_;
};

enum class Total { kSum, kAverage };

class SlidingTotal : public SlidingFunction {
 public:
  SlidingTotal(const SampleColumns& series, Total total)
      : series_(series), total_(total), large_values_(series.values), sum_(series.values) {}

  WindowResult At(const Window& window, const WindowContext& context) override {
    const Slice slice = SliceOf(window, series_);
    if (window.values.empty() || !window.histograms.empty() || large_values_.IsAnyIn(slice)) {
      return Plain(window, context);
    }
    const KahanSum sum = sum_.Over(window, slice);
    if (!std::isfinite(sum.sum) || !std::isfinite(sum.Total())) return Plain(window, context);
    if (total_ == Total::kSum) return WindowResult::Float(sum.Total());
    const auto count = static_cast<double>(window.values.size());
    return WindowResult::Float(sum.sum / count + sum.compensation / count);
  }

 private:
  WindowResult Plain(const Window& window, const WindowContext& context) const {
    return total_ == Total::kSum ? SumOverTime(window, context) : AvgOverTime(window, context);
  }

  const SampleColumns& series_;
  const Total total_;
  const LargeValues large_values_;
  SlidingSum sum_;
};

enum class Extreme { kMin, kMax };

class SlidingExtreme : public SlidingFunction {
 public:
  SlidingExtreme(const SampleColumns& series, Extreme extreme)
      : series_(series), extreme_(extreme) {}

  WindowResult At(const Window& window, const WindowContext& /*context*/) override {
    const Slice slice = SliceOf(window, series_);
    for (next_ = std::max(next_, slice.first); next_ < slice.end; ++next_) Push(next_);
    while (!unbeaten_.empty() && unbeaten_.front() < slice.first) unbeaten_.pop_front();
    // Only NaN: the result is NaN.
    if (unbeaten_.empty()) return WindowResult::Float(window.values.back());
    return WindowResult::Float(series_.values[unbeaten_.front()]);
  }

 private:
  void Push(size_t i) {
    const double value = series_.values[i];
    if (std::isnan(value)) return;
    while (!unbeaten_.empty() && Beats(value, series_.values[unbeaten_.back()])) {
      unbeaten_.pop_back();
    }
    unbeaten_.push_back(i);
  }

  bool Beats(double a, double b) const { return extreme_ == Extreme::kMin ? a < b : a > b; }

  const SampleColumns& series_;
  const Extreme extreme_;
  size_t next_ = 0;              // the first sample not seen yet
  std::deque<size_t> unbeaten_;  // ascending; the front is the extreme of the window
};

class SlidingRate : public SlidingFunction {
 public:
  SlidingRate(const SampleColumns& series, PerSecond per_second)
      : series_(series), question_{SeriesKind::kCounter, per_second} {
    for (size_t i = 1; i < series.values.size(); ++i) {
      if (series.values[i] < series.values[i - 1]) resets_.push_back(i);
    }
  }

  WindowResult At(const Window& window, const WindowContext& /*context*/) override {
    const Slice slice = SliceOf(window, series_);
    while (next_reset_ < resets_.size() && resets_[next_reset_] <= slice.first) ++next_reset_;
    double increase = window.values.back() - window.values.front();
    for (size_t i = next_reset_; i < resets_.size() && resets_[i] < slice.end; ++i) {
      increase += series_.values[resets_[i] - 1];
    }
    return ExtrapolateFloats(window, increase, question_);
  }

 private:
  const SampleColumns& series_;
  const RateQuestion question_;
  std::vector<size_t> resets_;  // samples that are below the one before
  size_t next_reset_ = 0;       // the first behind the start of the window
};

class SlidingCount : public SlidingFunction {
 public:
  // Counts the samples for which `differs(previous, current)`.
  template <typename Differs>
  SlidingCount(const SampleColumns& series, Differs differs) : series_(series) {
    counts_.reserve(series.values.size());
    uint32_t count = 0;
    for (size_t i = 0; i < series.values.size(); ++i) {
      if (i > 0 && differs(series.values[i - 1], series.values[i])) ++count;
      counts_.push_back(count);
    }
  }

  WindowResult At(const Window& window, const WindowContext& /*context*/) override {
    const Slice slice = SliceOf(window, series_);
    return WindowResult::Float(counts_[slice.end - 1] - counts_[slice.first]);
  }

 private:
  const SampleColumns& series_;
  std::vector<uint32_t> counts_;  // up to and including each sample
};

bool FallsToReset(double previous, double current) { return current < previous; }

bool Differ(double previous, double current) {
  return current != previous && !(std::isnan(current) && std::isnan(previous));
}

}  // namespace

std::unique_ptr<SlidingFunction> MakeSlidingFunction(promql::FunctionId id,
                                                     const SampleColumns& series) {
  using promql::FunctionId;
  if (id == FunctionId::kSumOverTime) return std::make_unique<SlidingTotal>(series, Total::kSum);
  if (id == FunctionId::kAvgOverTime) {
    return std::make_unique<SlidingTotal>(series, Total::kAverage);
  }
  if (!series.histograms.empty() || !series.start_timestamps_ms.empty()) return nullptr;
  switch (id) {
    case FunctionId::kMinOverTime:
      return std::make_unique<SlidingExtreme>(series, Extreme::kMin);
    case FunctionId::kMaxOverTime:
      return std::make_unique<SlidingExtreme>(series, Extreme::kMax);
    case FunctionId::kRate:
      return std::make_unique<SlidingRate>(series, PerSecond::kYes);
    case FunctionId::kIncrease:
      return std::make_unique<SlidingRate>(series, PerSecond::kNo);
    case FunctionId::kResets:
      return std::make_unique<SlidingCount>(series, FallsToReset);
    case FunctionId::kChanges:
      return std::make_unique<SlidingCount>(series, Differ);
    default:
      return nullptr;
  }
}

}  // namespace lockstep::engine
