// The steps of one attempt, filled in series by series.
//
//   StepColumns columns(ranks);                    once per rank: SetMarks, before Align
//   columns.Align();                               the columns are known from here on
//   columns.Add(series, row, samples);             from several threads at once
//   training::StepTable table = columns.Take(pool, true);
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "answers/series_roles.h"
#include "answers/step_history.h"
#include "base/mutex.h"
#include "base/task_pool.h"
#include "model/sample.h"
#include "training/steps.h"

namespace lockstep::answers {

class StepColumns {
 public:
  explicit StepColumns(size_t rank_count) : rows_(rank_count) {}
  StepColumns(const StepColumns&) = delete;
  StepColumns& operator=(const StepColumns&) = delete;

  // More of a row's steps, in any order. Safe from several threads.
  void AddMarks(size_t row, const SampleColumns& samples);
  // Once, after all marks.
  void Align();
  size_t step_count() const { return table_.size(); }

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
  training::RankMatrix* MatrixOf(const StepSeries& series);
  training::RankMatrix& Made(training::RankMatrix& matrix);
  void FillInStepSeconds();
  void FillInOperations();

  std::vector<Row> rows_;
  training::StepTable table_;
  training::RankMatrix teraflops_;
  Mutex matrices_mutex_;  // held while a matrix is looked for or made
  std::array<Mutex, kLockCount> row_mutexes_;
};

}  // namespace lockstep::answers
