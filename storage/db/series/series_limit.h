// SeriesLimit: limits the series of a store, over all shards: in total, per tenant, per job, and by
// the memory that they take. Existing series stay, and they count. Jobs are named together with
// their tenant (group_name.h). Safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "storage/write.h"

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

  // Applies from now on.
  void SetLimits(SeriesLimits limits);
  SeriesLimits limits() const;

  // Counts one more series, which takes this much memory, unless a limit is reached.
  [[nodiscard]] Answer Take(std::string_view job, uint64_t bytes);
  // Counts existing series, even beyond a limit.
  void Add(std::string_view job, uint64_t count);
  // Precondition: this many are counted for the job.
  void GiveBack(std::string_view job, uint64_t count);
  // Replaces an earlier amount of memory for known series with a new one.
  void ReplaceBytes(uint64_t bytes_before, uint64_t bytes);

  uint64_t count() const;
  // The limit of a tenant; 0: no limit.
  uint64_t MaxSeriesOf(std::string_view tenant) const;
  // The limit of the memory for series.
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
  StringMap<uint64_t> by_job_ LOCKSTEP_GUARDED_BY(mutex_);        // jobs with series
  StringMap<TenantCount> by_tenant_ LOCKSTEP_GUARDED_BY(mutex_);  // that had series since the start
  uint64_t bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t taken_bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // taken from the budget: whole chunks
};

}  // namespace lockstep
