// StoreFiles: the files of one opening of a store, as RocksDB sees them.
//
// Logs are marked as they are synced, and lose their mark before they are deleted (log_mark.h). An
// opening that has failed can be shut off from its files, so that the store can be reopened while
// readers still use the old opening: then every change of a file fails, and tables that the new
// opening deletes stay until those readers are done.
//
// An I/O error in a table that may have no rows ends the opening instead of being reported to
// RocksDB, whose compaction takes the first key of each table that it has finished, also if
// finishing it failed: of a table without rows this reads out of bounds, and a RocksDB with
// assertions, such as Debian's, ends the process. Such tables result from compactions that find
// nothing but deleted ranges.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/marks/log_mark.h"

namespace lockstep::kv {

// A file that is deleted when this object is destroyed.
class LeftFile {
 public:
  LeftFile(std::shared_ptr<rocksdb::FileSystem> files, std::string path);
  ~LeftFile();
  LeftFile(const LeftFile&) = delete;
  LeftFile& operator=(const LeftFile&) = delete;

 private:
  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::string path_;
};

// Files that a later opening leaves for readers of an earlier one. Safe from any thread.
class LeftFiles {
 public:
  void Add(std::shared_ptr<LeftFile> file);

 private:
  Mutex mutex_;
  std::vector<std::shared_ptr<LeftFile>> files_ LOCKSTEP_GUARDED_BY(mutex_);
};

// The state of a log since it was created.
struct LogState {
  explicit LogState(uint64_t log_number) : number(log_number) {}
  const uint64_t number;
  std::atomic<uint64_t> byte_count = 0;
  std::atomic<uint64_t> synced_bytes = 0;
  std::atomic<bool> has_commits = false;
};

// Safe from any thread, like every file system.
class StoreFiles : public rocksdb::FileSystemWrapper {
 public:
  using Readers = std::vector<std::weak_ptr<LeftFiles>>;

  // For the store in `folder`, whose lock the caller holds; other files are passed to `target`.
  // `readers` are those of earlier openings. `on_failure` is called from any thread with an error
  // that ends the opening, and must not use this object.
  StoreFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder,
             std::shared_ptr<LogMarker> marker, Readers readers,
             std::function<void(const rocksdb::IOStatus&)> on_failure);
  const char* Name() const override { return "StoreFiles"; }

  // From now on every change fails; when it returns, none is in progress.
  void Shut();
  // Cuts uncommitted writes off the logs to which a write failed: nobody was told that they are
  // there. Precondition: Shut(). Can be retried.
  absl::Status CutFailedLogs();
  // Call it after a successful synced commit.
  void Committed();
  // kNotFound, with the name of the log, if the log being written is no longer in the folder.
  absl::Status CheckNewestLog();
  // The number of the oldest log that RocksDB has read, or tried to; 0 if none. It skips logs that
  // have all their rows in tables and are only waiting to be deleted.
  uint64_t oldest_log_read();
  const Readers& readers() const { return readers_; }

  // The other public members are for the files that it has opened, and for RocksDB.
  template <typename Change>
  rocksdb::IOStatus WhileOpen(const Change& change) {
    ReaderLock lock(gate_);
    if (is_shut_) return rocksdb::IOStatus::IOError("the store is being reopened");
    return change();
  }
  void LogFailed(const SyncedLog& log);
  // Makes the names of new files durable.
  rocksdb::IOStatus SyncFolder();
  // Ends the opening: calls `on_failure`, then Shut().
  void Fail(const rocksdb::IOStatus& why);

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options,
                             rocksdb::FileLock** lock, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  std::optional<uint64_t> LogAt(const std::string& path) const;
  std::shared_ptr<LogState> newest_log();
  bool LeaveToReaders(const std::string& path);
  rocksdb::IOStatus CutLog(const SyncedLog& log);

  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::string folder_;
  const std::shared_ptr<LogMarker> marker_;
  const Readers readers_;
  const std::function<void(const rocksdb::IOStatus&)> on_failure_;

  SharedMutex gate_;
  bool is_shut_ LOCKSTEP_GUARDED_BY(gate_) = false;
  Mutex mutex_;
  std::shared_ptr<LogState> newest_log_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> failed_logs_ LOCKSTEP_GUARDED_BY(mutex_);  // to their synced lengths
  uint64_t oldest_log_read_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

// `files` with the clock of `env`, which must outlive it.
std::unique_ptr<rocksdb::Env> MakeRocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files,
                                           const rocksdb::Env& env);

}  // namespace lockstep::kv
