#include "storage/kv/files/folder_lock.h"

#include "rocksdb/env.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {

absl::StatusOr<std::unique_ptr<FolderLock>> FolderLock::Take(std::shared_ptr<Env> env,
                                                             const std::string& folder) {
  rocksdb::FileLock* lock = nullptr;
  const rocksdb::Status status = env->rocks()->LockFile(folder + "/LOCK", &lock);
  if (!status.ok()) {
    return absl::FailedPreconditionError("the folder " + folder +
                                         " is in use by another process, or cannot be locked: " +
                                         std::string(Message(FromRocks(status))));
  }
  return std::unique_ptr<FolderLock>(new FolderLock(std::move(env), lock));
}

FolderLock::~FolderLock() { (void)env_->rocks()->UnlockFile(lock_); }

}  // namespace lockstep::kv
