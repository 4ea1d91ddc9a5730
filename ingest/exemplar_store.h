// ExemplarStore: the newest exemplars of all series, for /api/v1/query_exemplars. In memory and bounded: the
// oldest that came goes when a new one needs its place or its bytes, as in Prometheus; ingest/side_data_keeper.h keeps them from
// one run to the next. Safe from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

struct Exemplar {
  LabelSet labels;  // of a trace, say; may be empty
  double value = 0;
  int64_t timestamp_ms = 0;
};

struct SeriesExemplars {
  LabelSet series;
  std::vector<Exemplar> exemplars;
};

class ExemplarStore {
 public:
  // Names and values of one exemplar's labels together. Source: OpenMetrics 1.0, "Exemplars".
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
    kYes,         // or it was there: senders repeat them with every sample
    kOutOfOrder,  // older than the series' newest
    kTooLong,
    kInvalidUtf8,
    kNoMemory,  // even with all others gone
  };
  Added Add(const LabelSet& series, Exemplar exemplar);

  using Selections = std::vector<std::vector<Matcher>>;
  // Of the series that one of the selections fits, sorted by labels; those in the range, in order of time.
  // Series without any are left out.
  std::vector<SeriesExemplars> Select(const Selections& selections, TimeRange range) const;

  size_t exemplar_count() const;
  // Of memory, roughly.
  uint64_t byte_count() const;
  // How many have been added.
  uint64_t change_count() const;
  // visit(series, exemplar) for all, the oldest to come first; nothing changes meanwhile.
  void ForEachInOrderOfArrival(
      absl::FunctionRef<void(const LabelSet&, const Exemplar&)> visit) const;

 private:
  using Series = std::map<LabelSet, std::deque<Exemplar>>;

  void DropOldest() LOCKSTEP_REQUIRES(mutex_);
  // Drops the oldest until so many more bytes fit in, and takes them. False if they never do.
  bool MakeRoom(uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_exemplars_;
  const uint64_t max_bytes_;
  mutable Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t change_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  Series series_ LOCKSTEP_GUARDED_BY(mutex_);
  // The series of each exemplar, in order of arrival: that of a series' front is the first of its own here.
  std::deque<Series::iterator> arrivals_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
