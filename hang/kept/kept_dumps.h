// KeptDumps: the evidence of hangs that ranks sent, one record for each rank of a job, kept in the
// store.
//
// Thread-safe. A rank's newer dump replaces its older one. The number of records and their bytes
// are limited for each job and in all; the oldest ones make room. Records that arrived more
// than kMaxAgeMs ago are neither returned nor kept; a dump may be of any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "base/status.h"
#include "hang/record/rank_record.h"
#include "storage/kept_rows.h"

namespace lockstep::hang {

struct DumpLimits {
  size_t max_records = 32 << 10;
  size_t max_records_of_job = 16 << 10;
  uint64_t max_bytes = uint64_t{128} << 20;
};

// What the dumps of all tenants together take: the rows that are kept, also of tenants that nobody
// has asked for yet. Safe from any thread.
class DumpTotal {
 public:
  // `kept` has the rows of all tenants and must outlive this; null: there are none yet.
  explicit DumpTotal(const KeptRows* kept, uint64_t max_bytes = uint64_t{512} << 20)
      : kept_(kept), max_bytes_(max_bytes) {}
  DumpTotal(const DumpTotal&) = delete;
  DumpTotal& operator=(const DumpTotal&) = delete;

  // Counts the rows, once. Before any of them is written.
  absl::Status Load();
  // Adds so many bytes of rows, which may be negative. Returns false, and adds nothing, if they
  // grow beyond the limit.
  [[nodiscard]] bool Add(int64_t bytes);
  uint64_t max_bytes() const { return max_bytes_; }

 private:
  const KeptRows* const kept_;
  const uint64_t max_bytes_;
  Mutex mutex_;
  bool is_loaded_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  int64_t bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

// What became of a record.
struct PutResult {
  bool is_older = false;  // than the one that is kept, which stays
  size_t operations = 0;
};

class KeptDumps {
 public:
  static constexpr int64_t kMaxAgeMs = int64_t{15} * 24 * 60 * 60 * 1000;

  // Both must outlive this. `rows` null: kept in memory only; `total` null: there are no others.
  explicit KeptDumps(KeptRows* rows, DumpLimits limits = {}, DumpTotal* total = nullptr);

  // A dump and a stack of one rank complete each other. Precondition: `job` is not empty. Errors
  // are those of KeptRows::WriteKept(), and kResourceExhausted if other tenants' dumps leave no
  // room.
  absl::StatusOr<PutResult> Put(std::string_view job, RankRecord record, int64_t now_ms);
  // The job's records by rank, charged to `memory`.
  absl::StatusOr<std::vector<RankRecord>> Read(std::string_view job, int64_t now_ms,
                                               MemoryCharge& memory) const;

 private:
  struct Entry {
    uint32_t row = 0;
    int64_t kept_ms = 0;
    uint32_t size = 0;
    std::string bytes{};  // only without a store
  };
  using Key = std::pair<std::string, int32_t>;  // job, rank
  using Entries = std::map<Key, Entry, std::less<>>;

  absl::Status Load() const LOCKSTEP_REQUIRES(mutex_);
  absl::StatusOr<std::string> BytesOf(const Entry& entry) const LOCKSTEP_REQUIRES(mutex_);
  // Adds what the kept record has of the other kind of evidence.
  absl::Status Complete(const Key& key, RankRecord& record) LOCKSTEP_REQUIRES(mutex_);
  absl::Status DropExpired(int64_t now_ms) LOCKSTEP_REQUIRES(mutex_);
  // For a row of so many bytes, which replaces the entry of `key` if there is one.
  absl::Status MakeRoom(const Key& key, uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  // Takes `bytes`, which may be negative, of the total.
  absl::Status TakeOfTotal(const Key& key, int64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  absl::Status Drop(Entries::iterator entry) LOCKSTEP_REQUIRES(mutex_);
  absl::Status Write(const Key& key, std::string bytes, int64_t kept_ms) LOCKSTEP_REQUIRES(mutex_);
  // The oldest entry besides that of `spared`, of `job` or, if it is "", of all; end() if there is
  // none.
  Entries::iterator Oldest(std::string_view job, const Key& spared) LOCKSTEP_REQUIRES(mutex_);
  size_t CountOf(std::string_view job) const LOCKSTEP_REQUIRES(mutex_);

  KeptRows* const rows_;
  const DumpLimits limits_;
  DumpTotal* const total_;
  mutable Mutex mutex_;
  mutable bool is_loaded_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  mutable Entries entries_ LOCKSTEP_GUARDED_BY(mutex_);
  mutable std::vector<bool> is_used_ LOCKSTEP_GUARDED_BY(mutex_);  // by row
  mutable uint64_t bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

}  // namespace lockstep::hang
