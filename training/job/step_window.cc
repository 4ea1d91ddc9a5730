#include "training/job/step_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace lockstep::training {
namespace {

constexpr int64_t kMostLiveCells = int64_t{1} << 20;
constexpr int64_t kFewestLiveSteps = 256;
constexpr int64_t kMostLiveSteps = 8192;

// All matrices of the table except those of its phases.
template <typename Table>
auto MatricesOf(Table& table) {
  return std::array{
      &table.step_seconds,           &table.own_seconds, &table.loss,  &table.gradient_norm,
      &table.memory_allocated_bytes, &table.model_flops, &table.tokens};
}

// Appends `count` columns of `more` from `first` on. A matrix that only one of the two has is
// unknown in the columns of the other.
void Append(const RankMatrix& more, size_t first, size_t count, size_t rows, size_t columns,
            RankMatrix& matrix) {
  if (more.empty() && matrix.empty()) return;
  if (matrix.empty()) matrix = RankMatrix(rows, columns);
  if (more.empty()) {
    matrix.AppendColumns(RankMatrix(rows, count), 0);
  } else {
    matrix.AppendColumns(more, first);
  }
}

PhaseColumn& PhaseNamed(const PhaseColumn& wanted, StepTable& table) {
  const auto at = std::lower_bound(
      table.phases.begin(), table.phases.end(), wanted.name,
      [](const PhaseColumn& phase, const std::string& name) { return phase.name < name; });
  if (at != table.phases.end() && at->name == wanted.name) return *at;
  return *table.phases.insert(at, {wanted.name, wanted.kind, {}});
}

bool IsUnknown(const RankMatrix& matrix) {
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const std::span<const double> values = matrix.Row(row);
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
      return false;
    }
  }
  return true;
}

template <typename T>
void AppendFrom(const std::vector<T>& more, size_t first, std::vector<T>& to) {
  to.insert(to.end(), more.begin() + static_cast<ptrdiff_t>(first), more.end());
}

template <typename T>
void DropFirst(size_t count, std::vector<T>& from) {
  from.erase(from.begin(), from.begin() + static_cast<ptrdiff_t>(std::min(count, from.size())));
}

}  // namespace

int64_t FirstLiveStep(int64_t frontier, size_t rank_count) {
  const auto ranks = static_cast<int64_t>(std::max<size_t>(rank_count, 1));
  const int64_t steps = std::clamp(kMostLiveCells / ranks, kFewestLiveSteps, kMostLiveSteps);
  const int64_t stride = steps / 4;
  return frontier < steps ? 0 : (frontier - steps) / stride * stride;
}

void AppendSteps(const StepTable& more, size_t first, size_t rank_count, StepTable& table) {
  if (first >= more.size()) return;
  const size_t count = more.size() - first;
  const size_t columns = table.size();
  const auto from = MatricesOf(more);
  const auto to = MatricesOf(table);
  for (size_t i = 0; i < from.size(); ++i) {
    Append(*from[i], first, count, rank_count, columns, *to[i]);
  }
  for (const PhaseColumn& phase : more.phases) {
    Append(phase.seconds, first, count, rank_count, columns, PhaseNamed(phase, table).seconds);
  }
  // Phases that no rank has reported recently.
  for (PhaseColumn& phase : table.phases) {
    if (phase.seconds.columns() == columns)
      Append({}, 0, count, rank_count, columns, phase.seconds);
  }
  AppendFrom(more.job_step_seconds, std::min(first, more.job_step_seconds.size()),
             table.job_step_seconds);
  AppendFrom(more.step, first, table.step);
  AppendFrom(more.end_ms, first, table.end_ms);
}

void DropStepsBefore(int64_t step, StepTable& table) {
  const auto count = static_cast<size_t>(
      std::lower_bound(table.step.begin(), table.step.end(), step) - table.step.begin());
  for (RankMatrix* matrix : MatricesOf(table)) {
    if (!matrix->empty()) matrix->DropFirstColumns(count);
  }
  for (PhaseColumn& phase : table.phases) phase.seconds.DropFirstColumns(count);
  // A phase without a value in any step would make the sum of phases unknown.
  std::erase_if(table.phases, [](const PhaseColumn& phase) { return IsUnknown(phase.seconds); });
  DropFirst(count, table.job_step_seconds);
  DropFirst(count, table.step);
  DropFirst(count, table.end_ms);
}

}  // namespace lockstep::training
