// Replays jobs: what their ranks pushed arrives in a store piece by piece, and the job can be
// queried at any time in between.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "answers/live_jobs.h"
#include "answers/load/loaded_job.h"
#include "base/budget/query_budget.h"
#include "base/threads/task_pool.h"
#include "model/labels.h"
#include "tests/memory_storage.h"
#include "tests/training/recording.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::live {

// Samples with their arrival times.
class Replay {
 public:
  void Add(int64_t arrival_ms, const LabelSet& labels, int64_t time_ms, double value);
  // Adds everything that `job` recorded: the rank in row r pushes every `batch_ms`, and its pushes
  // arrive `late_ms[r]` later.
  void AddJob(const training::RecordedJob& job, int64_t batch_ms,
              const std::vector<int64_t>& late_ms);

  // Delivers everything that arrives until then. Times must not decrease.
  void AdvanceTo(int64_t now_ms);
  // Restarts the server, which then knows only what is stored.
  void Restart() { live_ = std::make_unique<answers::LiveJobs>(storage_, kCells); }

  struct Answer {
    answers::LoadedJob job;  // without devices
    training::StragglerAnswer stragglers;
    std::string text;  // everything relevant, for comparison
  };
  // Answers from the state kept between queries. The text is empty if there is no such job.
  Answer AskLive(const std::string& job, int64_t now_ms);
  // Answers from loading the whole job.
  Answer AskWhole(const std::string& job, int64_t now_ms);

 private:
  static constexpr size_t kCells = 10'000'000;
  struct Arrival {
    LabelSet labels;
    int64_t time_ms = 0;
    double value = 0;
  };

  MemoryStorage storage_;
  std::multimap<int64_t, Arrival> waiting_;
  std::unique_ptr<answers::LiveJobs> live_ = std::make_unique<answers::LiveJobs>(storage_, kCells);
  TaskPool pool_{0};
};

}  // namespace lockstep::live
