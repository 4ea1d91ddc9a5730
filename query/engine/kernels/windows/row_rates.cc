// Row functions of neighbouring samples: rate, increase, delta, irate, idelta, changes and resets.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "query/engine/kernels/windows/counter_rate.h"
#include "query/engine/kernels/windows/row_families.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

class RowRate : public RowFunction {
 public:
  explicit RowRate(RateQuestion question) : question_(question) {}

  uint64_t min_samples() const override { return 2; }

  void Evaluate(const WindowRow& row, std::span<double> results) override {
    FindResets(row.values);
    Extrapolation extrapolation;
    size_t next_reset = 0;  // the first after the start of the window
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t first = row.firsts[i];
      const size_t end = row.ends[i];
      if (first == end || row.SampleCount(i) < 2) continue;
      double increase = row.values[end - 1] - row.values[first];
      while (next_reset < resets_.size() && resets_[next_reset] <= first) ++next_reset;
      for (size_t reset = next_reset; reset < resets_.size() && resets_[reset] < end; ++reset) {
        increase += row.values[resets_[reset] - 1];
      }
      const SampleLayout layout = LayoutOf(row, i);
      if (layout != extrapolation.layout()) extrapolation = Extrapolation(layout, question_);
      results[i] = increase * extrapolation.FactorFor(row.values[first], increase);
    }
  }

 private:
  // Where samples are below the one before them.
  void FindResets(std::span<const double> values) {
    resets_.clear();
    if (question_.kind == SeriesKind::kGauge) return;
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i] < values[i - 1]) resets_.push_back(i);
    }
  }

  static SampleLayout LayoutOf(const WindowRow& row, size_t i) {
    const int64_t first_ms = row.timestamps_ms[row.firsts[i]];
    const int64_t last_ms = row.timestamps_ms[row.ends[i] - 1];
    const int64_t end_ms = row.EndOf(i);
    return {row.SampleCount(i), first_ms - (end_ms - row.range_ms), last_ms - first_ms,
            end_ms - last_ms};
  }

  const RateQuestion question_;
  std::vector<size_t> resets_;
};

// irate and idelta: the last two samples.
class RowInstant : public RowFunction {
 public:
  explicit RowInstant(SeriesKind kind) : kind_(kind) {}

  uint64_t min_samples() const override { return 2; }

  void Evaluate(const WindowRow& row, std::span<double> results) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row.ends[i] < row.firsts[i] + 2) continue;
      const size_t last = row.ends[i] - 1;
      const double difference = row.values[last] - row.values[last - 1];
      const bool is_reset = row.values[last] < row.values[last - 1];
      const int64_t interval_ms = row.timestamps_ms[last] - row.timestamps_ms[last - 1];
      results[i] = kind_ == SeriesKind::kGauge ? difference
                                               : (is_reset ? row.values[last] : difference) /
                                                     (static_cast<double>(interval_ms) / 1000);
    }
  }

 private:
  const SeriesKind kind_;
};

// Counts the samples of each window for which `Differs(previous, current)`.
template <bool (*Differs)(double previous, double current)>
class RowCount : public RowFunction {
 public:
  void Evaluate(const WindowRow& row, std::span<double> results) override {
    if (row.values.empty()) return;
    counts_.resize(row.values.size());
    uint32_t count = 0;
    counts_[0] = 0;
    for (size_t i = 1; i < row.values.size(); ++i) {
      count += uint32_t{Differs(row.values[i - 1], row.values[i])};
      counts_[i] = count;
    }
    for (size_t i = 0; i < row.size(); ++i) {
      if (row.firsts[i] < row.ends[i]) {
        results[i] = counts_[row.ends[i] - 1] - counts_[row.firsts[i]];
      }
    }
  }

 private:
  std::vector<uint32_t> counts_;  // of the series up to and including each sample
};

bool FallsToReset(double previous, double current) { return current < previous; }

// NaN does not differ from NaN. Without branches, because nobody can foresee them.
bool Differ(double previous, double current) {
  return (current != previous) & ((current == current) | (previous == previous));
}

}  // namespace

std::unique_ptr<RowFunction> MakeRowRate(FunctionId id) {
  switch (id) {
    case FunctionId::kRate:
      return std::make_unique<RowRate>(RateQuestion{SeriesKind::kCounter, PerSecond::kYes});
    case FunctionId::kIncrease:
      return std::make_unique<RowRate>(RateQuestion{SeriesKind::kCounter, PerSecond::kNo});
    case FunctionId::kDelta:
      return std::make_unique<RowRate>(RateQuestion{SeriesKind::kGauge, PerSecond::kNo});
    case FunctionId::kIrate:
      return std::make_unique<RowInstant>(SeriesKind::kCounter);
    case FunctionId::kIdelta:
      return std::make_unique<RowInstant>(SeriesKind::kGauge);
    case FunctionId::kResets:
      return std::make_unique<RowCount<FallsToReset>>();
    case FunctionId::kChanges:
      return std::make_unique<RowCount<Differ>>();
    default:
      return nullptr;
  }
}

}  // namespace lockstep::engine
