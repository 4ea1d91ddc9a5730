// JobLife: when a job's processes started, when they last reported being alive, and how they ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "training/job/discovery.h"

namespace lockstep::answers {

struct ProcessExit {
  int64_t time_ms = 0;
  bool has_failed = false;
};

struct JobLife {
  std::optional<ProcessExit> exit = {};            // the latest exit of the job as a whole
  std::map<int64_t, ProcessExit> rank_exits = {};  // by rank: the latest exit
  std::optional<int64_t> begin_ms = {};            // when a rank last announced its start
  std::optional<int64_t> alive_ms = {};            // when a process last reported being alive

  // When the process of `rank` or the job ended, whichever is later; empty if neither is recorded.
  std::optional<int64_t> ExitMs(int64_t rank) const;
};

// As of the end of `time`. Returns errors of the budget and of the store.
absl::StatusOr<JobLife> ReadJobLife(const std::string& job, const TimeRange& time,
                                    const LoadContext& context);

// Sets the exit fields of `signs`. The job has exited if an exit of the job itself or of every rank
// in `reporting` (the ranks that report steps) is recorded, or if any of these ranks failed.
void SetSigns(const JobLife& life, std::span<const int64_t> reporting, training::JobSigns& signs);

}  // namespace lockstep::answers
