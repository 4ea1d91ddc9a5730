// PowerFiles: the FileSystem behind PowerEnv.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "rocksdb/file_system.h"

namespace lockstep::kv {

// The bytes of a file, which may or may not have a name.
struct PowerInode {
  std::string now;
  std::string synced;
};

class PowerFiles : public rocksdb::FileSystemWrapper {
 public:
  using InodePtr = std::shared_ptr<PowerInode>;

  PowerFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string root, uint64_t seed);
  const char* Name() const override { return "PowerFiles"; }

  void CutPowerAfter(uint64_t n);
  bool is_off() const;
  rocksdb::IOStatus RestorePower();

  // For the files that it has opened. `write` writes the first bytes of `data` to the real file.
  using WriteBytes = std::function<rocksdb::IOStatus(rocksdb::Slice data)>;
  rocksdb::IOStatus Write(const InodePtr& inode, uint64_t at, rocksdb::Slice data,
                          const WriteBytes& write);
  rocksdb::IOStatus Append(const InodePtr& inode, rocksdb::Slice data, const WriteBytes& write);
  rocksdb::IOStatus Cut(const InodePtr& inode, uint64_t size);
  rocksdb::IOStatus Sync(const InodePtr& inode);
  rocksdb::IOStatus SyncFolder(const std::string& folder);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  // A change in a folder: removes the name `gone` and adds the name `made`, unless they are empty;
  // one of the two, or both for a renaming.
  struct Change {
    std::string gone;
    std::string made;
    InodePtr inode;  // null for a folder
  };
  // Names of files; folders have no inode.
  using Names = std::map<std::string, InodePtr>;

  // Whether the next change succeeds, is the one at which the power fails, or comes too late.
  enum class Power { kOn, kGoes, kOff };
  Power NextChange() LOCKSTEP_REQUIRES(mutex_);
  uint64_t Below(uint64_t end) LOCKSTEP_REQUIRES(mutex_) { return random_() % end; }
  void Make(const std::string& path, InodePtr inode) LOCKSTEP_REQUIRES(mutex_);
  static void Apply(const Change& change, Names& names);
  Names SurvivingNames() LOCKSTEP_REQUIRES(mutex_);
  std::string SurvivingBytes(const PowerInode& inode) LOCKSTEP_REQUIRES(mutex_);

  const std::string root_;

  mutable Mutex mutex_;
  std::mt19937_64 random_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t changes_left_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // 0: never
  bool is_off_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  Names now_ LOCKSTEP_GUARDED_BY(mutex_);
  Names synced_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<Change>> changes_ LOCKSTEP_GUARDED_BY(mutex_);  // by folder
};

}  // namespace lockstep::kv
