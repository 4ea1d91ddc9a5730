#include "query/engine/kernels/windows/rollups.h"

#include <cmath>

#include "query/engine/kernels/numbers/kahan.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// Whether there are floats. Histograms among them are ignored with an info.
bool SeesFloats(const Window& window, AnnotationSink& sink) {
  if (!window.values.empty() && !window.histograms.empty()) {
    sink.Add(AnnotationKind::kHistogramIgnoredInMixedRange);
  }
  return !window.values.empty();
}

// A counter that decreases has restarted from 0.
double CounterStep(double previous, double value) {
  return value < previous ? value : value - previous;
}

// The value at sample `i` of the window, or the change since the previous sample.
template <FunctionId id>
double Observe(const Window& window, size_t i) {
  const double value = window.values[i];
  if constexpr (id == FunctionId::kRollup) return value;
  const double previous = window.values[i - 1];
  if constexpr (id == FunctionId::kRollupDelta) return value - previous;
  if constexpr (id == FunctionId::kRollupIncrease) return CounterStep(previous, value);
  const double seconds =
      static_cast<double>(window.timestamps_ms[i] - window.timestamps_ms[i - 1]) / 1000;
  if constexpr (id == FunctionId::kRollupDeriv) return (value - previous) / seconds;
  return CounterStep(previous, value) / seconds;
}

// NaN is the result only if there is nothing else.
template <RollupStatistic statistic>
class RunningExtreme {
 public:
  void Add(double value) {
    const bool wins = statistic == RollupStatistic::kMin ? value < best_ : value > best_;
    if (wins || std::isnan(best_)) best_ = value;
  }
  double Get() const { return best_; }

 private:
  double best_ = std::nan("");
};

template <RollupStatistic statistic>
using Fold =
    std::conditional_t<statistic == RollupStatistic::kAvg, RunningMean, RunningExtreme<statistic>>;

template <FunctionId id, RollupStatistic statistic>
WindowResult Rollup(const Window& window, const WindowContext& context) {
  constexpr size_t kFirst = id == FunctionId::kRollup ? 0 : 1;
  if (!SeesFloats(window, *context.sink) || window.values.size() <= kFirst) {
    return WindowResult::None();
  }
  Fold<statistic> fold;
  for (size_t i = kFirst; i < window.values.size(); ++i) fold.Add(Observe<id>(window, i));
  return WindowResult::Float(fold.Get());
}

template <FunctionId id>
WindowFunction WithStatistic(RollupStatistic statistic) {
  switch (statistic) {
    case RollupStatistic::kMin:
      return Rollup<id, RollupStatistic::kMin>;
    case RollupStatistic::kMax:
      return Rollup<id, RollupStatistic::kMax>;
    case RollupStatistic::kAvg:
      return Rollup<id, RollupStatistic::kAvg>;
  }
  return nullptr;
}

}  // namespace

WindowFunction FindRollupFunction(FunctionId id, RollupStatistic statistic) {
  switch (id) {
    case FunctionId::kRollup:
      return WithStatistic<FunctionId::kRollup>(statistic);
    case FunctionId::kRollupDelta:
      return WithStatistic<FunctionId::kRollupDelta>(statistic);
    case FunctionId::kRollupDeriv:
      return WithStatistic<FunctionId::kRollupDeriv>(statistic);
    case FunctionId::kRollupIncrease:
      return WithStatistic<FunctionId::kRollupIncrease>(statistic);
    case FunctionId::kRollupRate:
      return WithStatistic<FunctionId::kRollupRate>(statistic);
    default:
      return nullptr;
  }
}

WindowResult IncreasePure(const Window& window, const WindowContext& context) {
  if (!SeesFloats(window, *context.sink)) return WindowResult::None();
  double previous = 0;
  double increase = 0;
  for (size_t i = 0; i < window.values.size(); ++i) {
    const double value = window.values[i];
    if (window.timestamps_ms[i] > window.range_start_ms) increase += CounterStep(previous, value);
    previous = value;
  }
  return WindowResult::Float(increase);
}

}  // namespace lockstep::engine
