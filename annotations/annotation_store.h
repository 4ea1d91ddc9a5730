// AnnotationStore: the annotations of one tenant, in memory and, if there are kept rows, on disk.
//
// Safe from any thread. An accepted annotation is on disk as KeptRows::WriteKept() promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annotations/annotation.h"
#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "model/matcher.h"
#include "storage/kept_rows.h"

namespace lockstep::annotations {

struct AnnotationLimits {
  size_t max_count = 20'000;
  uint64_t max_bytes = uint64_t{16} << 20;
};

// What the annotations of all tenants together take: those that are kept, also of tenants that
// nobody has asked for yet. Safe from any thread.
class AnnotationTotal {
 public:
  // Counts the rows in `kept`; null: there are none.
  explicit AnnotationTotal(const KeptRows* kept,
                           AnnotationLimits limits = {100'000, uint64_t{64} << 20});
  AnnotationTotal(const AnnotationTotal&) = delete;
  AnnotationTotal& operator=(const AnnotationTotal&) = delete;

  // Adds so many annotations and bytes of rows, which may be negative. Returns false, and adds
  // nothing, if one of them grows beyond its limit.
  [[nodiscard]] bool Add(int64_t count, int64_t bytes);
  const AnnotationLimits& limits() const { return limits_; }

 private:
  const AnnotationLimits limits_;
  Mutex mutex_;
  int64_t count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

// The earliest time at which a kept annotation of a job may end; empty: all are kept.
using EarliestKeptMs = std::function<int64_t(std::string_view job)>;

// Which annotations to return; what is empty selects all.
struct AnnotationFilter {
  TimeRange time = {INT64_MIN, INT64_MAX};  // that they overlap
  std::optional<std::string> job{};
  std::vector<std::string> kinds{};  // any of them
  std::vector<std::string> tags{};   // all of them
  std::optional<Matcher> may_see{};  // a matcher on the label "job"
  size_t max_count = SIZE_MAX;       // the latest ones
};

using AnnotationPtr = std::shared_ptr<const Annotation>;

struct AnnotationList {
  std::vector<AnnotationPtr> annotations;  // by start
  size_t matching_count = 0;               // before max_count
};

// Sorts by start, counts, and leaves the latest ones.
void KeepLatest(size_t max_count, AnnotationList& list);

class AnnotationStore {
 public:
  // Loads what `rows` has. Both must outlive this; `rows` may be null.
  AnnotationStore(KeptRows* rows, AnnotationTotal& total, EarliestKeptMs earliest_kept_ms = {},
                  AnnotationLimits limits = {});
  AnnotationStore(const AnnotationStore&) = delete;
  AnnotationStore& operator=(const AnnotationStore&) = delete;

  // Applies all changes, or none. A change without an id makes a new annotation. Returns the
  // changed annotations in the order of the changes. Errors:
  //   kInvalidArgument    of Apply(), with the number of the change; or it is too old
  //   kResourceExhausted  there are too many annotations
  //   others              of WriteKept()
  absl::StatusOr<std::vector<AnnotationPtr>> Put(std::vector<AnnotationChange> changes,
                                                 int64_t now_ms);
  // Deletes the annotation with the id, of that job if one is given and otherwise of any that
  // `may_see` matches. Errors:
  //   kNotFound         there is none
  //   kInvalidArgument  several jobs have one with that id
  //   others            of WriteKept()
  absl::Status Delete(std::string_view id, const std::optional<std::string>& job,
                      const std::optional<Matcher>& may_see);

  // An annotation without an end lasts until `now_ms`.
  AnnotationList List(const AnnotationFilter& filter, int64_t now_ms) const;

 private:
  using Key = std::pair<std::string, std::string>;  // job and id
  struct Entry {
    uint32_t number = 0;  // of its row
    int64_t row_bytes = 0;
    AnnotationPtr annotation;
  };
  using Entries = std::map<Key, Entry>;
  struct Changed {
    Key key;
    bool is_new = false;
    Entry entry;
    std::string row;
  };
  struct Cost {
    int64_t count = 0;
    int64_t row_bytes = 0;
    int64_t memory_bytes = 0;
  };

  struct State {
    Entries entries;
    int64_t row_bytes = 0;
    int64_t memory_bytes = 0;
    std::vector<uint32_t> free_numbers;  // of rows, below next_number
    uint32_t next_number = 0;
  };

  static State Load(const KeptRows* rows);
  const Entry* Find(const Key& key) const LOCKSTEP_REQUIRES(mutex_);
  // What the changes lead to, one element per annotation that changes, with free rows' numbers.
  absl::StatusOr<std::vector<Changed>> Plan(std::vector<AnnotationChange>& changes,
                                            int64_t now_ms) const LOCKSTEP_REQUIRES(mutex_);
  // The number of the row for the annotation that is added after `index` others.
  uint32_t FreeNumber(size_t index) const LOCKSTEP_REQUIRES(mutex_);
  // Takes FreeNumber(0).
  void TakeNumber() LOCKSTEP_REQUIRES(mutex_);
  Cost CostOf(const std::vector<Changed>& plan) const LOCKSTEP_REQUIRES(mutex_);
  // Fails without charging anything.
  absl::Status Charge(const Cost& cost) LOCKSTEP_REQUIRES(mutex_);
  void Release(const Cost& cost) LOCKSTEP_REQUIRES(mutex_);
  absl::Status WriteRows(const std::vector<KeptRow>& rows) const;
  // Deletes the entries from the rows, then from memory.
  absl::Status Erase(const std::vector<Entries::iterator>& entries) LOCKSTEP_REQUIRES(mutex_);
  // Deletes what is too old.
  void Expire() LOCKSTEP_REQUIRES(mutex_);

  KeptRows* const rows_;
  AnnotationTotal& total_;
  const EarliestKeptMs earliest_kept_ms_;
  const AnnotationLimits limits_;
  mutable Mutex mutex_;
  State state_ LOCKSTEP_GUARDED_BY(mutex_);
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_){MemoryAccount::kMetadata};
};

}  // namespace lockstep::annotations
