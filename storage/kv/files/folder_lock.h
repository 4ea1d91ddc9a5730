// FolderLock: gives one owner, in one process, exclusive use of a folder. An open Store also holds
// the lock of its folder, so that code that inspects a folder without opening it notices a running
// server. The lock ends with the process.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/kv/files/env.h"

namespace rocksdb {
class FileLock;
}

namespace lockstep::kv {

class FolderLock {
 public:
  // The folder must exist; FOLDER/LOCK is created if it does not. kFailedPrecondition, with a
  // message that says so, if another owner holds the lock.
  static absl::StatusOr<std::unique_ptr<FolderLock>> Take(std::shared_ptr<Env> env,
                                                          const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  FolderLock(std::shared_ptr<Env> env, rocksdb::FileLock* lock)
      : env_(std::move(env)), lock_(lock) {}

  const std::shared_ptr<Env> env_;
  rocksdb::FileLock* const lock_;
};

}  // namespace lockstep::kv
