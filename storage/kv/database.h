// Database: one opening of a store's RocksDB. A store has one at a time; when a write has failed,
// it retires that one and opens another in the same folder, while existing readers continue with
// the old one.
//
// Safe from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "rocksdb/slice.h"
#include "storage/kv/batch.h"
#include "storage/kv/cursor.h"
#include "storage/kv/files/env.h"
#include "storage/kv/resources.h"
#include "storage/kv/space.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Env;
class EventListener;
class Snapshot;
}  // namespace rocksdb

namespace lockstep::kv {

class LeftFiles;
class StoreFiles;

// Why RocksDB no longer accepts changes. Set once.
class Failure {
 public:
  void Set(absl::Status why);
  absl::Status status() const;

 private:
  std::atomic<bool> is_set_ = false;
  mutable Mutex mutex_;
  absl::Status status_ LOCKSTEP_GUARDED_BY(mutex_);
};

class Database {
 public:
  struct Place {
    std::string folder;  // the caller holds its lock
    std::shared_ptr<Env> env;
    std::shared_ptr<const Resources> resources;
  };
  enum class Access { kReadAndWrite, kReadOnly, kReadDamaged };

  // `before`, which may be null, has been retired; files that it reads are left to it.
  static absl::StatusOr<std::shared_ptr<Database>> Open(const Place& place, Access access,
                                                        const Database* before);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB& rocks() const { return *db_; }
  const Batch::Handles& handles() const { return handles_; }
  rocksdb::ColumnFamilyHandle* HandleOf(Space space) const {
    return handles_[static_cast<size_t>(space)];
  }

  // OK as long as it accepts changes. After an error its memory and its files may differ.
  absl::Status failure() const { return failure_->status(); }
  // Call it after a successful synced commit.
  void Committed() const;
  // From now on it accepts no changes, and changes no file by itself.
  void Fail(const absl::Status& why) const;
  // kNotFound, with the name of the log, if the log being written is no longer in the folder.
  absl::Status CheckNewestLog() const;
  // See StoreFiles.
  uint64_t oldest_log_read() const;
  // Ends all changes permanently, and makes the files hold what was committed, except commits that
  // were not synced. Cursors and snapshots still work. Can be retried after an error.
  absl::Status Retire();

  // The last call; cursors and snapshots must have been destroyed before.
  absl::Status Close();

 private:
  Database() = default;

  std::shared_ptr<LeftFiles> left_files_;  // deleted when the database is closed
  std::shared_ptr<StoreFiles> files_;
  std::unique_ptr<rocksdb::Env> env_;
  const std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  std::unique_ptr<rocksdb::DB> db_;
  Batch::Handles handles_{};
};

// The rows as of one moment.
struct Snapshot {
  Snapshot(std::shared_ptr<const Database> of, const rocksdb::Snapshot* moment);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const std::shared_ptr<const Database> database;
  const rocksdb::Snapshot* const at;
};

// What a RocksDB iterator points to during its lifetime.
struct Cursor::Bounds {
  Bounds(KeyRange keys, std::shared_ptr<const Database> of)
      : database(std::move(of)), range(std::move(keys)), upper(range.end) {}
  std::shared_ptr<const Database> database;
  KeyRange range;
  rocksdb::Slice upper;
};

}  // namespace lockstep::kv
