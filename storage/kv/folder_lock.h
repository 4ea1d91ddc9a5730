// FolderLock: says that one process, and one place in it, has a folder for itself. What holds a Store
// open holds the lock of its folder too, so that whoever looks at a folder without opening it learns
// of a server that runs. Gone when the process is.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/kv/env.h"

namespace rocksdb {
class FileLock;
}

namespace lockstep::kv {

class FolderLock {
 public:
  // The folder must be there; FOLDER/LOCK is made if it is not. kFailedPrecondition if another holds
  // it; the message says so.
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
