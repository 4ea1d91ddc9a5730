// Store: one RocksDB: four spaces of rows, changed by atomic batches, read through snapshots.
//
// All methods are safe from any thread, but Close() must be the last call. Batches, cursors and
// snapshots must be gone before Close() or the destructor.
//
// A change committed as kSynced survives the end of the process and of the power. Opening brings
// back every such change; what the log holds behind its last complete record was never
// acknowledged and is dropped, while damage anywhere else in the log makes Open fail with
// kDataLoss (docs/adr/0004-store-journal-and-seal.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/kv/batch.h"
#include "storage/kv/cursor.h"
#include "storage/kv/env.h"
#include "storage/kv/folder_lock.h"
#include "storage/kv/resources.h"
#include "storage/kv/space.h"
#include "storage/kv/table_file.h"

namespace lockstep::kv {

class Database;
struct Snapshot;

// The rows as they were at one moment.
using SnapshotPtr = std::shared_ptr<const Snapshot>;

enum class Durability {
  kSynced,    // on disk when Commit() returns
  kBuffered,  // on disk with the next synced batch, flush or close
};

class Store {
 public:
  // Makes the folder and an empty store when there is none.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& folder,
                                                     std::shared_ptr<Env> env,
                                                     std::shared_ptr<const Resources> resources);
  // A store that is there, as it is, the rows of its log included; nothing in the folder is changed
  // but its lock. Commit() and what else would change something fails.
  static absl::StatusOr<std::unique_ptr<Store>> OpenReadOnly(
      const std::string& folder, std::shared_ptr<Env> env,
      std::shared_ptr<const Resources> resources);
  // The same of a store that is damaged: what can be read of it. Damaged records of the log are
  // passed over.
  static absl::StatusOr<std::unique_ptr<Store>> OpenDamaged(
      const std::string& folder, std::shared_ptr<Env> env,
      std::shared_ptr<const Resources> resources);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Batch NewBatch() const;
  // All or none. After an error nothing of the batch is visible, nothing more can be committed, and
  // reads go on, until Resume() succeeds; whether the batch is there after the process ends without
  // that is not known.
  absl::Status Commit(Batch& batch, Durability durability);
  // Whether the folder at its path is the one that was opened, and has the log that is being
  // written; kUnavailable if not: what is committed now would be lost. Where there is another
  // folder, or none, nothing is changed any more until the old one is back. Cheap.
  absl::Status CheckFiles();
  // Makes the store writable again after an I/O error, if what caused it is gone: takes back what
  // the log has of a failed write and opens the files anew, as a start does. Those who read go on
  // with the old ones. Tried again at growing distances, up to some seconds; in between, and while
  // it does not help, it returns what stopped the store. Damaged files are not opened anew. Fine,
  // and cheap, on a store that is writable.
  absl::Status Resume();

  absl::StatusOr<std::optional<std::string>> Get(Space space, std::string_view key) const;
  SnapshotPtr NewSnapshot() const;
  // Stands on the first row of the range. Without a snapshot it sees the moment of its making.
  // `snapshot` must outlive it.
  Cursor NewCursor(Space space, KeyRange range, const SnapshotPtr& snapshot = nullptr) const;

  // That hold rows now, in no order.
  std::vector<TableFile> Tables() const;

  // What tables hold in the range, to a block of each; rows that were deleted count until a compaction
  // comes by.
  uint64_t TableBytes(Space space, const KeyRange& range) const;
  // Of all tables that hold rows now, and of the logs. Tables that are being written, and those that a
  // reader alone still has, are not among them.
  absl::StatusOr<uint64_t> UsedBytes() const;

  // Moves all that is in write buffers to table files; the logs behind them are deleted.
  absl::Status Flush();
  // Rewrites the table files that hold rows of the range, without what was deleted.
  absl::Status Compact(Space space, const KeyRange& range);
  // Gives the disk space of a deleted range back sooner than compaction would: table files that
  // hold nothing else are unlinked. Rows of the range may or may not be deleted by it.
  absl::Status DropFiles(Space space, const KeyRange& range);

  // Makes `folder`, which must not be there, a store with the same rows, every batch included that
  // was committed before. They share table files where the file system can.
  absl::Status CopyTo(const std::string& folder);

  // Ends background work and closes the files. Rows stay in the log; nothing is lost.
  absl::Status Close();

 private:
  friend class BackupSet;
  // Committed as kBuffered and not synced since.
  struct BufferedBatch {
    uint64_t number = 0;
    std::string changes;
  };

  Store(std::string folder, std::shared_ptr<Env> env, std::shared_ptr<const Resources> resources);
  static absl::StatusOr<std::unique_ptr<Store>> OpenToRead(
      const std::string& folder, std::shared_ptr<Env> env,
      std::shared_ptr<const Resources> resources, bool is_damaged);
  std::shared_ptr<const Database> current() const;
  // The same, or why it takes no changes.
  absl::StatusOr<std::shared_ptr<const Database>> Changeable() const;
  absl::Status CheckFolder();
  absl::Status OpenAnew() LOCKSTEP_REQUIRES(resume_mutex_);
  absl::Status CommitBufferedAgain(const Database& database);
  void DeleteOptionFiles();

  const std::string folder_;
  const std::shared_ptr<Env> env_;
  const std::shared_ptr<const Resources> resources_;
  std::unique_ptr<FolderLock> lock_;
  std::string folder_id_;
  bool is_read_only_ = false;

  Mutex resume_mutex_;
  std::chrono::milliseconds resume_wait_ LOCKSTEP_GUARDED_BY(resume_mutex_){0};
  std::chrono::steady_clock::time_point next_resume_ LOCKSTEP_GUARDED_BY(resume_mutex_);

  Mutex flush_mutex_;         // held while write buffers are flushed on demand
  SharedMutex commit_mutex_;  // held shared while something is committed
  mutable SharedMutex mutex_;
  std::shared_ptr<Database> database_ LOCKSTEP_GUARDED_BY(mutex_);
  Mutex buffered_mutex_;
  uint64_t buffered_count_ LOCKSTEP_GUARDED_BY(buffered_mutex_) = 0;  // since the start
  std::vector<BufferedBatch> buffered_ LOCKSTEP_GUARDED_BY(buffered_mutex_);
};

}  // namespace lockstep::kv
