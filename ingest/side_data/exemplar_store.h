// ExemplarStore: the newest exemplars of all series, for /api/v1/query_exemplars. In memory and
// bounded: as in Prometheus, a new exemplar evicts the ones that arrived first.
// ingest/side_data/side_data_keeper.h keeps them across restarts. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

struct Exemplar {
  LabelSet labels;  // for example, a trace ID; may be empty
  double value = 0;
  int64_t timestamp_ms = 0;
};

struct SeriesExemplars {
  LabelSet series;
  std::vector<Exemplar> exemplars;
};

class ExemplarStore {
 public:
  // The length of one exemplar's label names and values together. Source: OpenMetrics 1.0,
  // "Exemplars".
  static constexpr size_t kMaxLabelCharacters = 128;
  static bool IsTooLong(const LabelSet& labels);

  static constexpr size_t kMaxExemplars = 100'000;
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

  explicit ExemplarStore(size_t max_exemplars = kMaxExemplars, uint64_t max_bytes = kMaxBytes,
                         MemoryBudget& memory = MemoryBudget::OfProcess())
      : max_exemplars_(max_exemplars),
        max_bytes_(max_bytes),
        memory_(MemoryCharge(MemoryAccount::kExemplars, memory)) {}

  enum class Added {
    kYes,         // also if already stored: senders repeat exemplars
    kOutOfOrder,  // older than the series' newest one
    kTooLong,
    kInvalidUtf8,
    kNoMemory,  // does not fit even alone
  };
  Added Add(const LabelSet& series, Exemplar exemplar);

  using Selections = std::vector<std::vector<Matcher>>;
  // Exemplars in `range` of the series that match any of `selections`. Series are sorted by labels,
  // exemplars by time; series without exemplars are omitted.
  std::vector<SeriesExemplars> Select(const Selections& selections, TimeRange range) const;

  size_t exemplar_count() const;
  // An estimate of the memory used.
  uint64_t byte_count() const;
  // The number of exemplars ever added.
  uint64_t change_count() const;
  // Calls visit(series, exemplar) for all, oldest arrival first, under the lock.
  void ForEachInOrderOfArrival(
      absl::FunctionRef<void(const LabelSet&, const Exemplar&)> visit) const;

 private:
  using Series = std::map<LabelSet, std::deque<Exemplar>>;

  void DropOldest() LOCKSTEP_REQUIRES(mutex_);
  // Evicts the oldest arrivals until `bytes` more fit, and charges them. False if they never fit.
  bool MakeRoom(uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_exemplars_;
  const uint64_t max_bytes_;
  mutable Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t change_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  Series series_ LOCKSTEP_GUARDED_BY(mutex_);
  // The series of each exemplar, in order of arrival. A series' first entry here stands for its
  // front exemplar.
  std::deque<Series::iterator> arrivals_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
