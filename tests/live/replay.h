// Jobs that happen again before a test's eyes: what their ranks push arrives in a store piece by piece, and at any moment
// the job can be asked about as it was then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "answers/live_jobs.h"
#include "answers/loaded_job.h"
#include "base/query_budget.h"
#include "base/task_pool.h"
#include "model/labels.h"
#include "tests/memory_storage.h"
#include "tests/training/recording.h"
#include "training/stragglers.h"

namespace lockstep::live {

// Samples with the moments of their arrival.
class Replay {
 public:
  void Add(int64_t arrival_ms, const LabelSet& labels, int64_t time_ms, double value);
  // All that `job` recorded; the rank of row r pushes what it has every `batch_ms` and sends it `late_ms[r]` later.
  void AddJob(const training::RecordedJob& job, int64_t batch_ms,
              const std::vector<int64_t>& late_ms);

  // Lets everything arrive that has by then. Moments do not go back.
  void AdvanceTo(int64_t now_ms);
  // A server that starts again knows what is stored, and nothing else.
  void Restart() { live_ = std::make_unique<answers::LiveJobs>(storage_, kCells); }

  struct Answer {
    answers::LoadedJob job;  // without its devices
    training::StragglerAnswer stragglers;
    std::string text;  // all of it that matters, for comparing
  };
  // As it is kept from one moment to the next; an empty text if no such job is known.
  Answer AskLive(const std::string& job, int64_t now_ms);
  // As it is when it is loaded whole.
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
