#include "training/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// Losses diverge where the smoothed gap exceeds five times its own noise and stays there.
constexpr size_t kGapWindow = 11;
constexpr double kGapNoiseMargin = 5.0;
// A gap below this share of the loss does not matter.
constexpr double kLeastGap = 0.002;

std::vector<double> MeansOf(const RankMatrix& matrix, size_t columns) {
  std::vector<double> means(columns, kUnknown);
  if (matrix.empty()) return means;
  for (size_t n = 0; n < columns; ++n) means[n] = Mean(matrix.Column(n));
  return means;
}

std::vector<double> Points(const StepTable& table, ComparisonAxis axis) {
  std::vector<double> points(table.size());
  double tokens = 0;
  for (size_t n = 0; n < points.size(); ++n) {
    switch (axis) {
      case ComparisonAxis::kStep:
        points[n] = static_cast<double>(table.step[n]);
        break;
      case ComparisonAxis::kTokens:
        if (!table.tokens.empty()) {
          const double more = Median(table.tokens.Column(n));
          tokens += std::isnan(more) ? 0 : more;
        }
        points[n] = tokens;
        break;
      case ComparisonAxis::kSeconds:
        points[n] = static_cast<double>(table.end_ms[n] - StepBeginMs(table, 0)) / 1000.0;
        break;
    }
  }
  return points;
}

// The value at `x`, interpolated linearly; unknown outside `points`.
double ValueAt(const std::vector<double>& points, const std::vector<double>& values, double x) {
  const auto above = std::lower_bound(points.begin(), points.end(), x);
  if (above == points.end()) return kUnknown;
  const auto i = static_cast<size_t>(above - points.begin());
  if (*above == x) return values[i];
  if (i == 0) return kUnknown;
  const double share = (x - points[i - 1]) / (points[i] - points[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

std::vector<double> AfterTheFirstSteps(const StepTable& table, const std::vector<double>& values) {
  std::vector<double> later;
  for (size_t n = 0; n < values.size(); ++n) {
    if (table.step[n] >= table.attempt_first_step + kWarmUpSteps) later.push_back(values[n]);
  }
  return later.empty() ? values : later;
}

double Highest(const RankMatrix& matrix) {
  double highest = kUnknown;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (const double value : matrix.Row(row)) {
      if (!(value <= highest) && !std::isnan(value)) highest = value;
    }
  }
  return highest;
}

ComparedRun Measured(const TrainingRun& run) {
  ComparedRun compared;
  compared.name = run.name;
  const StepTable& table = *run.steps;
  compared.step_seconds = Median(AfterTheFirstSteps(table, JobStepSeconds(table)));
  const std::vector<double> tokens = MeansOf(table.tokens, table.size());
  compared.tokens_per_second = Median(tokens) / compared.step_seconds;
  compared.highest_memory_bytes = Highest(table.memory_allocated_bytes);
  compared.joules_per_step = run.joules / static_cast<double>(table.size());
  compared.joules_per_token = compared.joules_per_step / Median(tokens);
  return compared;
}

// Index of the first known gap from which the smoothed gap stays outside its noise.
std::optional<size_t> PartingPoint(const std::vector<double>& gap,
                                   const std::vector<double>& loss) {
  std::vector<size_t> column;
  std::vector<double> known;
  for (size_t i = 0; i < gap.size(); ++i) {
    if (std::isnan(gap[i])) continue;
    column.push_back(i);
    known.push_back(gap[i]);
  }
  if (known.size() < kGapWindow) return std::nullopt;
  const std::vector<double> smooth = RunningMedian(known, kGapWindow);
  std::vector<double> residual(known.size());
  for (size_t i = 0; i < known.size(); ++i) residual[i] = known[i] - smooth[i];
  const double noise = MedianError(RobustDeviation(residual), kGapWindow);
  size_t first = known.size();
  for (size_t i = known.size(); i-- > 0;) {
    const double least = std::max(kGapNoiseMargin * noise, kLeastGap * std::abs(loss[column[i]]));
    if (std::abs(smooth[i]) <= least) break;
    first = i;
  }
  if (first + kGapWindow > known.size()) return std::nullopt;
  return column[first];
}

void SetLosses(const TrainingRun& run, const Comparison& comparison, ComparedRun& compared) {
  const std::vector<double> points = Points(*run.steps, comparison.axis);
  const std::vector<double> loss = MeansOf(run.steps->loss, run.steps->size());
  for (const double x : comparison.at) compared.loss.push_back(ValueAt(points, loss, x));
}

void SetGaps(const ComparedRun& first, const std::vector<double>& at, ComparedRun& compared) {
  std::vector<double> known;
  for (size_t i = 0; i < at.size(); ++i) {
    compared.loss_gap.push_back(compared.loss[i] - first.loss[i]);
    if (!std::isnan(compared.loss_gap[i])) known.push_back(compared.loss_gap[i]);
  }
  const size_t tenth = known.size() / 10 + (known.empty() ? 0 : 1);
  compared.last_gap = Median(std::span(known).last(tenth));
  const std::optional<size_t> parting = PartingPoint(compared.loss_gap, first.loss);
  if (parting.has_value()) compared.parts_at = at[*parting];
}

}  // namespace

std::string_view Name(ComparisonAxis axis) {
  switch (axis) {
    case ComparisonAxis::kStep:
      return "step";
    case ComparisonAxis::kTokens:
      return "tokens";
    case ComparisonAxis::kSeconds:
      break;
  }
  return "seconds";
}

Comparison CompareRuns(std::span<const TrainingRun> runs, ComparisonAxis axis) {
  LOCKSTEP_CHECK(!runs.empty());
  Comparison comparison{.axis = axis, .at = Points(*runs.front().steps, axis), .runs = {}};
  for (const TrainingRun& run : runs) {
    ComparedRun compared = Measured(run);
    SetLosses(run, comparison, compared);
    const ComparedRun& first = comparison.runs.empty() ? compared : comparison.runs.front();
    compared.speed = first.step_seconds / compared.step_seconds;
    SetGaps(first, comparison.at, compared);
    comparison.runs.push_back(std::move(compared));
  }
  return comparison;
}

}  // namespace lockstep::training
