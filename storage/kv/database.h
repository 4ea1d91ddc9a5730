// Database: one opening of a store's RocksDB. A store has one at a time; when a write has failed it
// retires that and opens another one in the same folder, and who reads the old one goes on with it.
//
// Safe from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/kv/batch.h"
#include "storage/kv/env.h"
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

// Why RocksDB has stopped to take changes. Set once.
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
    std::string folder;  // whose lock the caller holds
    std::shared_ptr<Env> env;
    std::shared_ptr<const Resources> resources;
  };
  enum class Access { kReadAndWrite, kReadOnly, kReadDamaged };

  // `before`, which may be null, has retired; what it reads is left to it.
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

  // OK as long as it takes changes. After an error what its memory and its files hold may differ.
  absl::Status failure() const { return failure_->status(); }
  // A synced commit has gone well.
  void Committed() const;
  // From now on it takes no changes, and changes no file by itself.
  void Fail(const absl::Status& why) const;
  // kNotFound, naming it, if the log that is being written is not in the folder any more.
  absl::Status CheckNewestLog() const;
  // Ends all changes for good, and makes the files hold what was committed, apart from what was not
  // synced. Cursors and snapshots go on. Can be tried again after an error.
  absl::Status Retire();

  // The last call; cursors and snapshots must be gone.
  absl::Status Close();

 private:
  Database() = default;

  std::shared_ptr<LeftFiles> left_files_;  // to be deleted when this is closed
  std::shared_ptr<StoreFiles> files_;
  std::unique_ptr<rocksdb::Env> env_;
  const std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  std::unique_ptr<rocksdb::DB> db_;
  Batch::Handles handles_{};
};

// The rows as they were at one moment.
struct Snapshot {
  Snapshot(std::shared_ptr<const Database> of, const rocksdb::Snapshot* moment);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const std::shared_ptr<const Database> database;
  const rocksdb::Snapshot* const at;
};

}  // namespace lockstep::kv
