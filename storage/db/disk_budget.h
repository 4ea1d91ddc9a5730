// DiskBudget: which windows have to go so that the files of the store take no more than they may. One
// for all shards; safe from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/db/windows.h"
#include "storage/kv/env.h"

namespace lockstep {

// A number below that of every window.
inline constexpr int32_t kKeepAllWindows = std::numeric_limits<int32_t>::min();

class DiskBudget {
 public:
  // 0 bytes: no bound.
  DiskBudget(std::shared_ptr<const kv::Env> env, std::string folder, uint64_t max_bytes,
             uint32_t shard_count);

  // Which windows the shard has now, as it says; the answer is the first that it may keep. The oldest
  // go first, those of one number from all shards, and the newest of all never. While a shard has not
  // dropped what it was told to, no more windows are condemned: their space is not free yet.
  absl::StatusOr<int32_t> FirstKept(uint32_t shard, const Windows& windows);

 private:
  using Sizes = std::map<int32_t, uint64_t>;  // of rows, by window
  bool AllHaveDropped() const LOCKSTEP_REQUIRES(mutex_);
  int32_t FirstWithout(uint64_t excess_bytes) const LOCKSTEP_REQUIRES(mutex_);

  const std::shared_ptr<const kv::Env> env_;
  const std::string folder_;
  const uint64_t max_bytes_;

  Mutex mutex_;
  std::vector<Sizes> shards_ LOCKSTEP_GUARDED_BY(mutex_);
  int32_t first_kept_ LOCKSTEP_GUARDED_BY(mutex_) = kKeepAllWindows;
};

}  // namespace lockstep
