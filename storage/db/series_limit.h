// SeriesLimit: which series a store may know, all shards together: so many, so many of each tenant
// and of each of its jobs, and as many as there is memory for. Those that are there stay, and count.
// Jobs are named with their tenant (group_name.h). Safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "storage/storage.h"

namespace lockstep {

class SeriesLimit {
 public:
  enum class Answer : uint8_t { kTaken, kStoreIsFull, kTenantIsFull, kJobIsFull, kNoMemory };

  explicit SeriesLimit(SeriesLimits limits = {}, MemoryBudget& memory = MemoryBudget::OfProcess())
      : memory_(memory), limits_(limits) {}
  // Gives the memory back.
  ~SeriesLimit();
  SeriesLimit(const SeriesLimit&) = delete;
  SeriesLimit& operator=(const SeriesLimit&) = delete;

  // From here on.
  void SetLimits(SeriesLimits limits);
  SeriesLimits limits() const;

  // Counts one series more, which takes so much memory, unless a limit is reached.
  [[nodiscard]] Answer Take(std::string_view job, uint64_t bytes);
  // Counts those that are there already, be it beyond a limit.
  void Add(std::string_view job, uint64_t count);
  // Precondition: as many were counted for the job.
  void GiveBack(std::string_view job, uint64_t count);
  // What is known takes so much memory, and not what was said before.
  void ReplaceBytes(uint64_t bytes_before, uint64_t bytes);

  uint64_t count() const;
  // That a tenant may have; 0: no limit.
  uint64_t MaxSeriesOf(std::string_view tenant) const;
  // That series may take.
  uint64_t max_bytes() const { return memory_.MaxBytesOf(MemoryAccount::kSeries); }

 private:
  struct TenantCount {
    uint64_t count = 0;
    uint64_t max_series = 0;
  };

  void HoldMemory() LOCKSTEP_REQUIRES(mutex_);
  uint64_t LimitOf(std::string_view tenant) const LOCKSTEP_REQUIRES(mutex_);
  TenantCount& CountOf(std::string_view job) LOCKSTEP_REQUIRES(mutex_);

  MemoryBudget& memory_;
  mutable Mutex mutex_;
  SeriesLimits limits_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  StringMap<uint64_t> by_job_ LOCKSTEP_GUARDED_BY(mutex_);        // of jobs that have some
  StringMap<TenantCount> by_tenant_ LOCKSTEP_GUARDED_BY(mutex_);  // that had some since the start
  uint64_t bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t taken_bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // of the memory: whole chunks
};

}  // namespace lockstep
