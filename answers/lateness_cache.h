// LatenessCache: how late the ranks of ended attempts were, so that questions about a fleet do not
// load each of its jobs again.
//
// Counts as a cache in the memory budget and gives way to everything else. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "training/fleet/job_lateness.h"

namespace lockstep::answers {

using JobLatenessPtr = std::shared_ptr<const training::JobLateness>;

class LatenessCache {
 public:
  explicit LatenessCache(MemoryBudget& memory = MemoryBudget::OfProcess());
  ~LatenessCache();
  LatenessCache(const LatenessCache&) = delete;
  LatenessCache& operator=(const LatenessCache&) = delete;

  // Null if it is not kept, or was computed when the attempt had another last step.
  JobLatenessPtr Find(const std::string& job, size_t attempt, int64_t last_step_end_ms) const;
  // Keeps it if there is room.
  void Keep(int64_t last_step_end_ms, JobLatenessPtr lateness);

 private:
  struct Kept {
    int64_t last_step_end_ms = 0;
    JobLatenessPtr lateness;
    uint64_t bytes = 0;
  };

  void GiveWay();

  MemoryBudget& memory_;
  mutable Mutex mutex_;
  std::map<std::pair<std::string, size_t>, Kept> kept_ LOCKSTEP_GUARDED_BY(mutex_);
  const uint64_t cache_number_;  // last member: from here on, others can make this cache shrink
};

}  // namespace lockstep::answers
