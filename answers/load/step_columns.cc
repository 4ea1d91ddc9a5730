#include "answers/load/step_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "training/job/discovery.h"

namespace lockstep::answers {
namespace {

using catalogue::NameRole;
using catalogue::Role;
using training::kUnknown;
using training::RankMatrix;

// Whole doubles below this are exact integers.
constexpr double kWholeBelow = 9007199254740992;  // 2^53

// All steps of all rows, ascending. Most rows have the same steps in order.
template <typename Rows>
std::vector<int64_t> UnionOfSteps(const Rows& rows) {
  std::vector<int64_t> all;
  std::vector<int64_t> own;
  std::vector<int64_t> both;
  for (const auto& row : rows) {
    if (row.step == all) continue;
    own = row.step;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    both.clear();
    std::set_union(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(both));
    std::swap(all, both);
  }
  return all;
}

}  // namespace

void StepColumns::AddMarks(size_t row, const SampleColumns& samples) {
  const MutexLock lock(row_mutexes_[row % kLockCount]);
  Row& marks = rows_[row];
  marks.time_ms.reserve(marks.time_ms.size() + samples.values.size());
  marks.step.reserve(marks.step.size() + samples.values.size());
  for (size_t i = 0; i < samples.values.size(); ++i) {
    const double value = samples.values[i];
    if (!std::isfinite(value)) continue;
    // Most values are already whole, and rounding would dominate the cost of this loop.
    const auto whole = std::abs(value) < kWholeBelow ? static_cast<int64_t>(value) : 0;
    marks.time_ms.push_back(samples.timestamps_ms[i]);
    marks.step.push_back(static_cast<double>(whole) == value ? whole : std::llround(value));
  }
}

// Sorts by time and keeps one mark per time.
void StepColumns::SortMarks(Row& row) {
  if (std::adjacent_find(row.time_ms.begin(), row.time_ms.end(), std::greater_equal<>()) ==
      row.time_ms.end()) {
    return;
  }
  std::vector<size_t> order(row.time_ms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&row](size_t a, size_t b) { return row.time_ms[a] < row.time_ms[b]; });
  Row sorted;
  for (const size_t i : order) {
    if (!sorted.time_ms.empty() && sorted.time_ms.back() == row.time_ms[i]) continue;
    sorted.time_ms.push_back(row.time_ms[i]);
    sorted.step.push_back(row.step[i]);
  }
  row = std::move(sorted);
}

void StepColumns::Align(std::span<const int64_t> exit_ms) {
  for (Row& row : rows_) SortMarks(row);
  PlaceMarks();
  if (table_.size() == 0) return;
  newest_ms_ = *std::max_element(table_.end_ms.begin(), table_.end_ms.end());
  if (!exit_ms.empty()) CutAtFrontier(exit_ms);
}

bool StepColumns::Reports(size_t row) const {
  return !rows_[row].step.empty() &&
         std::ranges::find(not_reporting_, row, &training::NotReportingRank::row) ==
             not_reporting_.end();
}

bool StepColumns::GoesBack() {
  return std::ranges::any_of(rows_, [](Row& row) {
    SortMarks(row);
    return !std::ranges::is_sorted(row.step);
  });
}

bool StepColumns::HasReturned() const {
  for (size_t row = 0; row < before_.size(); ++row) {
    const training::RankProgress& before = before_[row].progress;
    if (!before.owed_since_ms.has_value()) continue;
    const std::vector<int64_t>& step = rows_[row].step;
    if (!step.empty() && step.back() > before.last_step.value_or(step.back() - 1)) return true;
  }
  return false;
}

training::RankProgress StepColumns::ProgressOf(size_t row, int64_t exit_ms) const {
  const std::vector<int64_t>& step = rows_[row].step;
  training::RankProgress progress;
  if (!before_.empty()) progress = before_[row].progress;
  const bool has_exited =
      exit_ms != kNoExit && (step.empty() || training::IsEndOf(exit_ms, rows_[row].time_ms.back()));
  const bool is_elsewhere = is_restart_ && step.empty() && !progress.last_step.has_value();
  progress.has_exited = has_exited || is_elsewhere;
  if (step.empty()) return progress;
  // The greatest step, not the last: other ranks may already have begun the next attempt.
  const int64_t last = *std::max_element(step.begin(), step.end());
  if (!progress.last_step.has_value() || last > *progress.last_step) {
    progress.last_step = last;
    // A silent rank stays silent until it has sent every step that it owes.
    if (last >= frontier_before_) progress.owed_since_ms.reset();
  }
  if (step.size() > 1) progress.stride = training::StrideOf(step);
  return progress;
}

void StepColumns::CutAtFrontier(std::span<const int64_t> exit_ms) {
  std::vector<training::RankProgress> progress(rows_.size());
  for (size_t row = 0; row < rows_.size(); ++row) progress[row] = ProgressOf(row, exit_ms[row]);
  training::Frontier frontier = training::FrontierOf(progress, table_.step, table_.end_ms);
  not_reporting_ = std::move(frontier.not_reporting);
  reports_.resize(rows_.size());
  for (size_t row = 0; row < rows_.size(); ++row) {
    DropBeyond(frontier.step, rows_[row]);
    reports_[row].progress = progress[row];
    reports_[row].progress.owed_since_ms.reset();
    if (!before_.empty()) reports_[row].taken_ms = before_[row].taken_ms;
    if (rows_[row].time_ms.empty()) continue;
    reports_[row].taken_ms = std::max(rows_[row].time_ms.back(),
                                      reports_[row].taken_ms.value_or(rows_[row].time_ms.back()));
  }
  // The steps that these ranks owe are before the frontier and are not looked at again.
  for (const training::NotReportingRank& silent : not_reporting_) {
    reports_[silent.row].progress.owed_since_ms = silent.since_ms;
  }
  for (size_t row = 0; row < rows_.size(); ++row) {
    training::RankProgress& rank = reports_[row].progress;
    if (!rank.last_step.has_value()) rank.owed_since_ms = frontier.owed_since_ms[row];
  }
  if (frontier.step != table_.step.back()) PlaceMarks();
}

void StepColumns::DropBeyond(std::optional<int64_t> frontier, Row& row) {
  size_t kept = 0;
  for (size_t i = 0; i < row.step.size(); ++i) {
    if (!frontier.has_value() || row.step[i] > *frontier) continue;
    row.step[kept] = row.step[i];
    row.time_ms[kept++] = row.time_ms[i];
  }
  row.step.resize(kept);
  row.time_ms.resize(kept);
}

// Makes the columns that the marks need and sets the column of each mark.
void StepColumns::PlaceMarks() {
  table_.step = UnionOfSteps(rows_);
  table_.end_ms.assign(table_.step.size(), 0);
  for (Row& row : rows_) {
    row.column.resize(row.step.size());
    size_t near = 0;
    for (size_t i = 0; i < row.step.size(); ++i) {
      if (near >= table_.step.size() || table_.step[near] != row.step[i]) {
        near = static_cast<size_t>(
            std::lower_bound(table_.step.begin(), table_.step.end(), row.step[i]) -
            table_.step.begin());
      }
      row.column[i] = static_cast<uint32_t>(near);
      table_.end_ms[near] = std::max(table_.end_ms[near], row.time_ms[i]);
      ++near;
    }
  }
}

RankMatrix& StepColumns::Made(RankMatrix& matrix) {
  if (!matrix.empty()) return matrix;
  matrix = RankMatrix::Unset(rows_.size(), table_.size());
  if (!matrix.empty()) {
    set_rows_.push_back({matrix.Row(0).data(), std::vector<uint8_t>(rows_.size())});
  }
  return matrix;
}

// The values and flags do not move when another matrix is made.
StepColumns::RowValues StepColumns::ValuesOf(const NameRole& name, size_t row) {
  const MutexLock lock(matrices_mutex_);
  RankMatrix* matrix = MatrixOf(name);
  if (matrix == nullptr || matrix->empty()) return {};
  const auto rows = std::ranges::find(set_rows_, matrix->Row(0).data(), &SetRows::values);
  return {matrix->Row(row).data(), &rows->is_set[row]};
}

// Rows without a series.
void StepColumns::FillUnsetRows(TaskPool& pool) {
  pool.Run(set_rows_.size(), [this](size_t i) {
    const auto& [values, is_set] = set_rows_[i];
    for (size_t row = 0; row < is_set.size(); ++row) {
      if (is_set[row] == 0) std::fill_n(values + row * table_.size(), table_.size(), kUnknown);
    }
  });
  set_rows_.clear();
}

RankMatrix* StepColumns::MatrixOf(const NameRole& name) {
  switch (name.role) {
    case Role::kTrainStepTimeSeconds:
      return &Made(table_.step_seconds);
    case Role::kTrainOwnSeconds:
      return &Made(table_.own_seconds);
    case Role::kTrainLoss:
      return &Made(table_.loss);
    case Role::kTrainGradNorm:
      return &Made(table_.gradient_norm);
    case Role::kGpuTorchMemoryAllocatedBytes:
      return &Made(table_.memory_allocated_bytes);
    case Role::kTrainModelFlops:
      return &Made(table_.model_flops);
    case Role::kTrainFlopsPerSecondPerGpu:
      return &Made(flops_per_second_);
    case Role::kTrainTokens:
      return &Made(table_.tokens);
    case Role::kTrainPhaseSeconds:
      break;
    default:
      return nullptr;
  }
  for (training::PhaseColumn& phase : table_.phases) {
    if (phase.name == name.part) return &phase.seconds;
  }
  table_.phases.push_back({std::string(name.part), training::PhaseKindOf(name.part), {}});
  return &Made(table_.phases.back().seconds);
}

void StepColumns::Add(const NameRole& name, size_t row, const SampleColumns& samples) {
  const auto [values, is_set] = ValuesOf(name, row);
  if (values == nullptr) return;
  const Row& marks = rows_[row];
  const MutexLock lock(row_mutexes_[row % kLockCount]);
  if (*is_set == 0) std::fill_n(values, table_.size(), kUnknown);
  *is_set = 1;
  if (samples.timestamps_ms == marks.time_ms) {
    for (size_t i = 0; i < samples.values.size(); ++i) {
      if (!IsStaleNan(samples.values[i])) values[marks.column[i]] = samples.values[i];
    }
    return;
  }
  size_t mark = 0;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    const int64_t time_ms = samples.timestamps_ms[i];
    while (mark < marks.time_ms.size() && marks.time_ms[mark] < time_ms) ++mark;
    if (mark == marks.time_ms.size()) break;
    if (marks.time_ms[mark] != time_ms || IsStaleNan(samples.values[i])) continue;
    values[marks.column[mark]] = samples.values[i];
  }
}

// If step times are not reported, uses the time from one step's end to the next.
void StepColumns::FillInStepSeconds() {
  if (!table_.step_seconds.empty() || table_.size() < 2) return;
  table_.step_seconds = RankMatrix(rows_.size(), table_.size());
  for (size_t row = 0; row < rows_.size(); ++row) {
    const Row& marks = rows_[row];
    for (size_t i = 1; i < marks.step.size(); ++i) {
      const int64_t steps = marks.step[i] - marks.step[i - 1];
      if (steps <= 0) continue;
      table_.step_seconds(row, marks.column[i]) =
          static_cast<double>(marks.time_ms[i] - marks.time_ms[i - 1]) / 1000.0 /
          static_cast<double>(steps);
    }
  }
}

// Converts a rate to operations in the step.
void StepColumns::FillInOperations() {
  if (flops_per_second_.empty() || !table_.model_flops.empty()) return;
  if (table_.step_seconds.empty()) return;
  table_.model_flops = std::move(flops_per_second_);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const std::span<double> flops = table_.model_flops.Row(row);
    const std::span<const double> seconds = std::as_const(table_.step_seconds).Row(row);
    for (size_t n = 0; n < flops.size(); ++n) flops[n] *= seconds[n];
  }
}

training::StepTable StepColumns::Take(TaskPool& pool, bool with_job_steps) {
  FillUnsetRows(pool);
  FillInStepSeconds();
  if (with_job_steps) table_.job_step_seconds = training::JobStepSeconds(table_, &pool);
  FillInOperations();
  // If a trainer also reports a compute phase, it is the sum of the passes and would count twice.
  if (training::HasPhase(table_, training::PhaseKind::kForward)) {
    std::erase_if(table_.phases, [](const training::PhaseColumn& phase) {
      return phase.kind == training::PhaseKind::kCompute;
    });
  }
  // Sort by name, because threads add phases in any order.
  std::sort(table_.phases.begin(), table_.phases.end(),
            [](const training::PhaseColumn& a, const training::PhaseColumn& b) {
              return a.name < b.name;
            });
  return std::move(table_);
}

}  // namespace lockstep::answers
