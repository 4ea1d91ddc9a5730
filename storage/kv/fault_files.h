// FaultFiles: the FileSystem behind FaultEnv.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "rocksdb/file_system.h"
#include "storage/kv/fault_env.h"

namespace lockstep::kv {

class FaultFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFiles(const std::shared_ptr<rocksdb::FileSystem>& target)
      : rocksdb::FileSystemWrapper(target) {}
  const char* Name() const override { return "FaultFiles"; }

  // Whether the next change may be made; counts it.
  enum class Room { kNeeded, kNotNeeded };
  rocksdb::IOStatus MayChange(Room room);
  void Appended(const std::string& path, uint64_t size);
  void Synced(const std::string& path);
  void Truncated(const std::string& path, uint64_t size);

  void FailFrom(uint64_t n);
  void Heal();
  void SetFull(bool is_full);
  void SetFreeBytes(uint64_t bytes);
  uint64_t change_count() const;
  void CutPower();
  rocksdb::IOStatus RestorePower(UnsyncedTail tail);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* bytes, rocksdb::IODebugContext* debug) override;

 private:
  struct Sizes {
    uint64_t written = 0;
    uint64_t synced = 0;
  };
  rocksdb::IOStatus DropTail(const std::string& path, Sizes sizes, UnsyncedTail tail);

  mutable Mutex mutex_;
  std::map<std::string, Sizes> sizes_ LOCKSTEP_GUARDED_BY(mutex_);  // of files that were written
  uint64_t change_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t fail_from_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // a change's number; 0: none
  bool is_full_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool is_off_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::optional<uint64_t> free_bytes_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::kv
