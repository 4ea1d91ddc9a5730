// Collects the steps of one attempt, series by series.
//
//   StepColumns columns(ranks);                    AddMarks for each rank before Align
//   columns.Align({});                             the columns are known after this
//   columns.Add(name, row, samples);               from several threads
//   training::StepTable table = columns.Take(pool, true);
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answers/load/rank_report.h"
#include "answers/load/step_history.h"
#include "base/mutex.h"
#include "base/threads/task_pool.h"
#include "catalogue/metric_names.h"
#include "model/sample.h"
#include "training/job/frontier.h"
#include "training/job/steps.h"

namespace lockstep::answers {

class StepColumns {
 public:
  explicit StepColumns(size_t rank_count) : rows_(rank_count) {}
  StepColumns(const StepColumns&) = delete;
  StepColumns& operator=(const StepColumns&) = delete;

  // Adds steps of a row, in any order. Thread-safe.
  void AddMarks(size_t row, const SampleColumns& samples);
  // Call once, after all marks. `exit_ms` holds when each row's process ended (kNoExit: it has
  // not); then the columns end at the frontier and later steps are dropped. If it is empty, the
  // columns contain every step that any row has reported.
  static constexpr int64_t kNoExit = std::numeric_limits<int64_t>::min();
  void Align(std::span<const int64_t> exit_ms);
  // Sets the reports of each row as of the time when steps up to `frontier` were read, to collect
  // only later steps. Call before Align().
  void SetBefore(std::span<const RankReport> before, int64_t frontier) {
    before_ = before;
    frontier_before_ = frontier;
  }
  // After a restart of the job, earlier ranks may be gone, so only ranks that report are waited
  // for. Call before Align().
  void SetIsRestart(bool is_restart) { is_restart_ = is_restart; }
  // The reports of each row as of the frontier.
  std::vector<RankReport> TakeReports() { return std::move(reports_); }
  size_t step_count() const { return table_.size(); }
  // When the newest step that any row reported ended, and which rows do not report. Valid after
  // Align().
  std::optional<int64_t> newest_ms() const { return newest_ms_; }
  const std::vector<training::NotReportingRank>& not_reporting() const { return not_reporting_; }
  // Whether the row has steps and counts as reporting. Valid after Align().
  bool Reports(size_t row) const;
  // Whether some row's steps decrease, which means that a new attempt began. Call before Align().
  bool GoesBack();
  // Whether a rank that did not report before now has steps. Call before Align().
  bool HasReturned() const;

  // Adds the values of one series, in its role's unit, joined to the row's steps by timestamp;
  // values at other times are dropped. Ignores roles that do not describe single steps.
  // Thread-safe.
  void Add(const catalogue::NameRole& name, size_t row, const SampleColumns& samples);

  // Call once, after the last Add(). `with_job_steps` sets StepTable::job_step_seconds.
  training::StepTable Take(TaskPool& pool, bool with_job_steps);

 private:
  // When a rank ended its steps, ascending, and the column of each.
  struct Row {
    std::vector<int64_t> time_ms;
    std::vector<int64_t> step;
    std::vector<uint32_t> column;
  };

  // Enough that neighbouring rows rarely contend.
  static constexpr size_t kLockCount = 64;

  static void SortMarks(Row& row);
  void PlaceMarks();
  training::RankProgress ProgressOf(size_t row, int64_t exit_ms) const;
  void CutAtFrontier(std::span<const int64_t> exit_ms);
  static void DropBeyond(std::optional<int64_t> frontier, Row& row);
  // Where the values of a row go, and whether anything was set there.
  struct RowValues {
    double* values = nullptr;  // null: they are of no use
    uint8_t* is_set = nullptr;
  };

  // Which rows of the matrix that begins with `values` are set.
  struct SetRows {
    double* values = nullptr;
    std::vector<uint8_t> is_set;
  };

  training::RankMatrix* MatrixOf(const catalogue::NameRole& name);
  RowValues ValuesOf(const catalogue::NameRole& name, size_t row);
  training::RankMatrix& Made(training::RankMatrix& matrix);
  void FillUnsetRows(TaskPool& pool);
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
  training::RankMatrix flops_per_second_;
  std::vector<SetRows> set_rows_;  // of each matrix
  Mutex matrices_mutex_;           // held while a matrix is looked up or created
  std::array<Mutex, kLockCount> row_mutexes_;
};

}  // namespace lockstep::answers
