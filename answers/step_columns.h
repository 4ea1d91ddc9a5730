// The steps of one attempt, filled in series by series.
//
//   StepColumns columns(ranks);                    once per rank: SetMarks, before Align
//   columns.Align({});                             the columns are known from here on
//   columns.Add(series, row, samples);             from several threads at once
//   training::StepTable table = columns.Take(pool, true);
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answers/rank_report.h"
#include "answers/series_roles.h"
#include "answers/step_history.h"
#include "base/mutex.h"
#include "base/task_pool.h"
#include "model/sample.h"
#include "training/frontier.h"
#include "training/steps.h"

namespace lockstep::answers {

class StepColumns {
 public:
  explicit StepColumns(size_t rank_count) : rows_(rank_count) {}
  StepColumns(const StepColumns&) = delete;
  StepColumns& operator=(const StepColumns&) = delete;

  // More of a row's steps, in any order. Safe from several threads.
  void AddMarks(size_t row, const SampleColumns& samples);
  // Once, after all marks. With `exit_ms`, when each row's process ended (kNoExit: it has not), the columns end at the
  // frontier, and later steps are left out. Without any they hold whatever some row has reported.
  static constexpr int64_t kNoExit = std::numeric_limits<int64_t>::min();
  void Align(std::span<const int64_t> exit_ms);
  // As it was when steps up to `frontier` were read, one for each row: for columns of later steps alone. Before Align().
  void SetBefore(std::span<const RankReport> before, int64_t frontier) {
    before_ = before;
    frontier_before_ = frontier;
  }
  // When a job starts again, ranks that took part before need not: only who reports is waited for. Before Align().
  void SetIsRestart(bool is_restart) { is_restart_ = is_restart; }
  // What each row has reported, as of the frontier.
  std::vector<RankReport> TakeReports() { return std::move(reports_); }
  size_t step_count() const { return table_.size(); }
  // When the newest step that any row has reported ended, and which rows do not report. Known once aligned.
  std::optional<int64_t> newest_ms() const { return newest_ms_; }
  const std::vector<training::NotReportingRank>& not_reporting() const { return not_reporting_; }
  // Whether the row has steps and is not among those that do not report. Known once aligned.
  bool Reports(size_t row) const;
  // Whether some row's steps fall with time: an attempt began. Before Align().
  bool GoesBack();
  // Whether a rank that did not report before has steps now. Before Align().
  bool HasReturned() const;

  // Values of one series, joined to the row's steps by their times; those at other times are left out. Roles that say
  // nothing of single steps are ignored. Safe from several threads.
  void Add(const StepSeries& series, size_t row, const SampleColumns& samples);

  // Once, after the last Add(). `with_job_steps`: with StepTable::job_step_seconds.
  training::StepTable Take(TaskPool& pool, bool with_job_steps);

 private:
  // When a rank ended its steps, ascending, and in which column each of them is.
  struct Row {
    std::vector<int64_t> time_ms;
    std::vector<int64_t> step;
    std::vector<uint32_t> column;
  };

  // Neighbouring rows rarely wait for each other.
  static constexpr size_t kLockCount = 64;

  static void SortMarks(Row& row);
  void PlaceMarks();
  training::RankProgress ProgressOf(size_t row, int64_t exit_ms) const;
  void CutAtFrontier(std::span<const int64_t> exit_ms);
  static void DropBeyond(std::optional<int64_t> frontier, Row& row);
  training::RankMatrix* MatrixOf(const StepSeries& series);
  training::RankMatrix& Made(training::RankMatrix& matrix);
  void FillInStepSeconds();
  void FillInOperations();

  std::vector<Row> rows_;
  training::StepTable table_;
  std::span<const RankReport> before_;
  int64_t frontier_before_ = 0;
  bool is_restart_ = false;
  std::vector<RankReport> reports_;
  std::optional<int64_t> newest_ms_;
  std::vector<training::NotReportingRank> not_reporting_;
  training::RankMatrix teraflops_;
  Mutex matrices_mutex_;  // held while a matrix is looked for or made
  std::array<Mutex, kLockCount> row_mutexes_;
};

}  // namespace lockstep::answers
