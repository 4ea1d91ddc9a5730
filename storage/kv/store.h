// Store: one RocksDB with several spaces of rows, changed by atomic batches, read through
// snapshots.
//
// All methods are safe from any thread, but Close() must be the last call. Batches, cursors and
// snapshots must be destroyed before Close() or the destructor.
//
// A change committed as kSynced survives the death of the process and a power cut. Opening brings
// back every such change. What the log holds after its last complete record was never acknowledged
// and is dropped; damage anywhere else in the log makes Open() fail with kDataLoss
// (docs/adr/0004-store-journal-and-seal.md).
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
#include "storage/kv/files/env.h"
#include "storage/kv/files/folder_lock.h"
#include "storage/kv/resources.h"
#include "storage/kv/space.h"
#include "storage/kv/table_file.h"

namespace lockstep::kv {

class Database;
struct Snapshot;

// The rows as of one moment.
using SnapshotPtr = std::shared_ptr<const Snapshot>;

enum class Durability {
  kSynced,    // on disk when Commit() returns
  kBuffered,  // on disk with the next synced batch, flush or close
};

class Store {
 public:
  // Creates the folder and an empty store if there is none.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& folder,
                                                     std::shared_ptr<Env> env,
                                                     std::shared_ptr<const Resources> resources);
  // Opens an existing store as it is, including the rows of its log. Nothing in the folder is
  // changed except its lock. Commit() and other changes fail.
  static absl::StatusOr<std::unique_ptr<Store>> OpenReadOnly(
      const std::string& folder, std::shared_ptr<Env> env,
      std::shared_ptr<const Resources> resources);
  // Opens a damaged store in the same way, as far as it can be read. Damaged records of the log are
  // skipped.
  static absl::StatusOr<std::unique_ptr<Store>> OpenDamaged(
      const std::string& folder, std::shared_ptr<Env> env,
      std::shared_ptr<const Resources> resources);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Batch NewBatch() const;
  // Atomic. After an error nothing of the batch is visible, nothing more can be committed, and
  // reads still work, until Resume() succeeds. If the process ends before that, it is unknown
  // whether the store has the batch.
  absl::Status Commit(Batch& batch, Durability durability);
  // Whether the folder at its path is the one that was opened and has the log being written;
  // kUnavailable if not, because a commit would be lost. If another folder is there, or none,
  // nothing is changed until the original is back. Cheap.
  absl::Status CheckFiles();
  // Makes the store writable again after an I/O error whose cause is gone: cuts a failed write off
  // the log and reopens the files, as a start does. Existing readers continue with the old files.
  // Attempts are made at growing intervals, up to some seconds; in between, and as long as they
  // fail, it returns the error that stopped the store. Damaged files are not reopened. OK, and
  // cheap, if the store is writable.
  absl::Status Resume();

  absl::StatusOr<std::optional<std::string>> Get(Space space, std::string_view key) const;
  SnapshotPtr NewSnapshot() const;
  // Starts at the first row of the range. Without a snapshot the cursor sees the rows as of its
  // creation. `snapshot` must outlive it.
  Cursor NewCursor(Space space, KeyRange range, const SnapshotPtr& snapshot = nullptr) const;

  // Those that hold rows now, in any order.
  std::vector<TableFile> Tables() const;

  // The size of the range in tables, to the accuracy of one block per table; deleted rows count
  // until the next compaction.
  uint64_t TableBytes(Space space, const KeyRange& range) const;
  // The memory of the rows that are in no table yet, deleted ones included.
  uint64_t BufferedBytes(Space space) const;
  // The size of all tables that hold rows now, and of the logs. Tables that are being written, and
  // those that only a reader still has, are not counted.
  absl::StatusOr<uint64_t> UsedBytes() const;
  // The number of the oldest log whose rows were needed at the last opening; 0 if none was.
  uint64_t oldest_log_read() const;

  // Moves everything in write buffers to table files, and deletes the logs of those buffers.
  absl::Status Flush();
  // Rewrites the table files that hold rows of the range, without deleted rows.
  absl::Status Compact(Space space, const KeyRange& range);
  // Frees the disk space of a deleted range sooner than compaction would, by unlinking table files
  // that hold nothing else. Rows of the range may or may not be deleted by it.
  absl::Status DropFiles(Space space, const KeyRange& range);

  // Creates in `folder`, which must not exist, a store with the same rows, including every batch
  // committed before. The two share table files where the file system allows it.
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
  // The current database, or the error that stops changes.
  absl::StatusOr<std::shared_ptr<const Database>> Changeable() const;
  absl::Status CheckFolder();
  std::chrono::nanoseconds Now() const;  // monotonic
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
  std::chrono::nanoseconds next_resume_ LOCKSTEP_GUARDED_BY(resume_mutex_){0};  // on Now()

  Mutex flush_mutex_;         // held during a flush on demand
  SharedMutex commit_mutex_;  // held shared during a commit
  mutable SharedMutex mutex_;
  std::shared_ptr<Database> database_ LOCKSTEP_GUARDED_BY(mutex_);
  Mutex buffered_mutex_;
  uint64_t buffered_count_ LOCKSTEP_GUARDED_BY(buffered_mutex_) = 0;  // since the start
  std::vector<BufferedBatch> buffered_ LOCKSTEP_GUARDED_BY(buffered_mutex_);
};

}  // namespace lockstep::kv
