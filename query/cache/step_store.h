// StepStore: the values of range queries at their steps, by query, within a memory limit and what
// the memory budget can spare. Evicts the least recently used first. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "query/engine/values/reduction.h"
#include "query/engine/values/value.h"

namespace lockstep::cache {

// For queries with equal keys, values at equal steps are comparable.
struct StepKey {
  std::string view;  // identifies the data that the query can read
  std::string text;
  int64_t step_ms = 0;
  int64_t phase_ms = 0;  // start modulo step
  int64_t lookback_ms = 0;
  // As in engine::RangeQuery.
  std::vector<engine::Reduction> reductions{};
  int64_t resolution_ms = 0;

  friend bool operator==(const StepKey&, const StepKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StepKey& key) {
    return H::combine(std::move(h), key.view, key.text, key.step_ms, key.phase_ms, key.lookback_ms,
                      key.reductions, key.resolution_ms);
  }
};

struct KeptSteps {
  int64_t start_ms = 0;       // of the first step
  int64_t end_ms = 0;         // of the last
  uint64_t change_count = 0;  // of the storage, before the latest evaluation of the first step
  engine::MatrixResult value;
};

struct StepStoreStats {
  uint64_t entry_count = 0;
  uint64_t byte_count = 0;
};

class StepStore {
 public:
  explicit StepStore(size_t max_bytes, MemoryBudget& memory = MemoryBudget::OfProcess());
  ~StepStore();
  StepStore(const StepStore&) = delete;
  StepStore& operator=(const StepStore&) = delete;

  // Null if there is none.
  std::shared_ptr<const KeptSteps> Find(const StepKey& key);
  // Replaces the entry. Steps that take more than an eighth of the limit are not kept.
  void Put(const StepKey& key, KeptSteps steps);

  StepStoreStats stats() const;

 private:
  struct Entry {
    StepKey key;
    std::shared_ptr<const KeptSteps> steps;
    size_t byte_count = 0;
  };
  using Entries = std::list<Entry>;

  void GiveWay(uint64_t bytes);
  void Remove(Entries::iterator entry) LOCKSTEP_REQUIRES(mutex_);
  void RemoveOldest() LOCKSTEP_REQUIRES(mutex_) { Remove(std::prev(entries_.end())); }

  const size_t max_bytes_;
  MemoryBudget& memory_;
  mutable Mutex mutex_;
  Entries entries_ LOCKSTEP_GUARDED_BY(mutex_);  // most recently used first
  absl::flat_hash_map<StepKey, Entries::iterator> by_key_ LOCKSTEP_GUARDED_BY(mutex_);
  size_t byte_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  const uint64_t cache_number_;  // last member: from here on, others can make this cache shrink
};

}  // namespace lockstep::cache
