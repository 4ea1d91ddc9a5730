// JobLife: when a job's processes started, when they last said that they were alive, and how they ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "training/discovery.h"

namespace lockstep::answers {

struct ProcessExit {
  int64_t time_ms = 0;
  bool has_failed = false;
};

struct JobLife {
  std::optional<ProcessExit> exit = {};            // of the job as a whole, the latest
  std::map<int64_t, ProcessExit> rank_exits = {};  // by rank, the latest of each
  std::optional<int64_t> begin_ms = {};            // when a rank was last announced
  std::optional<int64_t> alive_ms = {};            // when a process last said that it is there

  // When the process of `rank` ended, or the job: the later; nothing if neither is recorded.
  std::optional<int64_t> ExitMs(int64_t rank) const;
};

// As of the end of `time`. Errors: those of the budget, and of the store.
absl::StatusOr<JobLife> ReadJobLife(const std::string& job, const TimeRange& time,
                                    const LoadContext& context);

// Sets the signs of an exit. The job has exited if the job itself is recorded to have exited, or every
// rank in `reporting` (those that report steps), or if any of these ranks failed.
void SetSigns(const JobLife& life, std::span<const int64_t> reporting, training::JobSigns& signs);

}  // namespace lockstep::answers
