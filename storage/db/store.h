// The store: the Storage that keeps samples in RocksDB. docs/adr/0004-store-journal-and-seal.md has
// its design, docs/formats/ every byte that it writes.
//
// A store has one or more shards, each a RocksDB of its own under DATA/shard-NNN with one writer
// thread and one keeper thread (sealing and retention). Which shard a series belongs to never
// changes: the number of shards is fixed when the store is made.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/db/clock.h"
#include "storage/db/retention_rules.h"
#include "storage/kept_rows.h"
#include "storage/storage.h"
#include "storage/storage_admin.h"

namespace lockstep {

namespace kv {
class Env;
}

struct StoreOptions {
  std::string data_dir;
  // For a new store; one that exists keeps the number that it was made with. 0: one per four cores.
  uint32_t shard_count = 0;
  // Opens a store that is there, as it is: nothing in the folder is changed, nothing is too old to be
  // read, and writes are refused with kPermissionDenied.
  bool read_only = false;
  // Samples older than this are refused, hidden and dropped.
  int64_t retention_ms = int64_t{15} * 24 * 60 * 60 * 1000;
  // The same for some series after a shorter time; the first rule that fits counts.
  std::vector<RetentionRule> retention_rules{};

  // What the store may take on disk, snapshots not counted; above it the oldest windows are dropped. 0: no
  // limit.
  uint64_t max_bytes = 0;

  SeriesLimits series{};

  // Each shard's queue; what does not fit is refused with kResourceExhausted. Writes of up to 1 MiB
  // have as many bytes of their own, and do not wait for larger ones.
  size_t max_queue_requests = 1024;
  size_t max_queue_bytes = size_t{64} << 20;

  // Memory for samples that are not sealed yet, of all shards together; more if there are very many
  // series, 320 bytes for each that is written to. A shard seals when it has used its part, and takes
  // no more writes while a seal runs and it has used its part again.
  size_t head_bytes = size_t{96} << 20;
  // Samples are sealed at the latest this long after the first of their head came.
  int64_t head_age_ms = int64_t{2} * 60 * 60 * 1000;
  size_t block_cache_bytes = size_t{64} << 20;

  // How long Close() may take to seal what is in memory; 0: it leaves all to the journal.
  std::chrono::milliseconds close_patience{8000};

  // Writes are refused with kUnavailable while the disk has less room than this, so that what was
  // taken can always be sealed.
  uint64_t min_free_bytes = uint64_t{64} << 20;

  Clock now_ms = SystemTimeMs;
  Clock monotonic_ms = BootTimeMs;
  std::shared_ptr<kv::Env> env;  // null: the operating system's files
};

// Samples later than this after now are refused: a clock that far ahead is broken, and its samples
// would outlive the retention.
inline constexpr int64_t kMaxFutureMs = int64_t{24} * 60 * 60 * 1000;

class Store : public Storage, public StorageAdmin, public KeptRows {
 public:
  // Seals all that is in memory. Returns when it is in chunks.
  virtual absl::Status Seal() = 0;
  // Seals, and merges every window to one cold run now, as the keeper does with those that have ended.
  // What is deleted gives its disk space back. Takes long; for tests and measurements.
  virtual absl::Status Settle() = 0;
  // Drops what is older than the retention now, as the keeper does from time to time.
  virtual absl::Status DropExpired() = 0;
  // How many series it may know from here on.
  virtual void SetSeriesLimits(SeriesLimits limits) = 0;
  // Drops the oldest windows while the store takes more than StoreOptions::max_bytes, as it does by itself
  // from time to time.
  virtual absl::Status KeepWithinBudget() = 0;
  // Refuses new writes, answers those that are queued, seals what is in memory, ends the threads and
  // closes the files: what is left is chunks and dictionary, and no log. What cannot be sealed, because
  // the disk is full or StoreOptions::close_patience over, stays in the journal, and the log says so.
  // The last call; queriers must be gone. The destructor without Close() leaves the queue unanswered but for an error,
  // and is what a crash would leave.
  virtual absl::Status Close() = 0;
};

// kInvalidArgument for options that cannot be, kDataLoss for damaged files.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(StoreOptions options);

}  // namespace lockstep
