#include "storage/kv/files/env.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

// RocksDB's name for the file that FolderLock holds.
constexpr std::string_view kLockFile = "LOCK";

std::string ParentOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::shared_ptr<Env> Env::Default() {
  static const std::shared_ptr<Env> env = std::make_shared<Env>(rocksdb::FileSystem::Default());
  return env;
}

Env::Env(std::shared_ptr<rocksdb::FileSystem> files)
    : files_(std::move(files)), env_(rocksdb::NewCompositeEnv(files_)) {}

Env::Env(std::shared_ptr<rocksdb::FileSystem> files, std::unique_ptr<rocksdb::Env> env)
    : files_(std::move(files)), env_(std::move(env)) {}

Env::~Env() = default;

absl::Status Env::CreateFolder(const std::string& path) {
  bool is_folder = false;
  if (files_->IsDirectory(path, {}, &is_folder, nullptr).ok() && is_folder) return absl::OkStatus();
  const std::string parent = ParentOf(path);
  if (parent != path && parent != "." && parent != "/") {
    LOCKSTEP_RETURN_IF_ERROR(CreateFolder(parent));
  }
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(files_->CreateDirIfMissing(path, {}, nullptr)),
                                    "creating the folder " + path));
  return SyncFolder(parent);
}

absl::StatusOr<std::string> Env::ReadFile(const std::string& path) const {
  std::string contents;
  const rocksdb::Status status = rocksdb::ReadFileToString(env_.get(), path, &contents);
  if (status.IsPathNotFound()) return absl::NotFoundError("there is no file " + path);
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(status), "reading " + path));
  return contents;
}

absl::StatusOr<std::string> Env::FolderId(const std::string& path) const {
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
  }
  if (errno == ENOENT || errno == ENOTDIR) return absl::NotFoundError("there is no folder " + path);
  return absl::ErrnoToStatus(errno, "reading the status of the folder " + path);
}

absl::StatusOr<std::vector<std::string>> Env::ListFolder(const std::string& path) const {
  std::vector<std::string> names;
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(env_->GetChildren(path, &names)), "listing " + path));
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status Env::RemoveFile(const std::string& path) {
  const rocksdb::Status status = env_->DeleteFile(path);
  if (status.IsPathNotFound() || status.IsNotFound()) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(status), "deleting " + path));
  return SyncFolder(ParentOf(path));
}

absl::Status Env::WriteFile(const std::string& path, std::string_view contents) {
  const std::string beside = path + ".new";
  rocksdb::Status status = rocksdb::WriteStringToFile(
      env_.get(), rocksdb::Slice(contents.data(), contents.size()), beside, /*should_sync=*/true);
  if (status.ok()) status = env_->RenameFile(beside, path);
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(status), "writing " + path));
  return SyncFolder(ParentOf(path));
}

absl::Status Env::SyncFolder(const std::string& path) {
  std::unique_ptr<rocksdb::FSDirectory> folder;
  rocksdb::IOStatus status = files_->NewDirectory(path, {}, &folder, nullptr);
  if (status.ok()) status = folder->Fsync({}, nullptr);
  return Annotate(FromRocks(status), "syncing the folder " + path);
}

absl::StatusOr<uint64_t> Env::FreeBytes(const std::string& path) const {
  uint64_t bytes = 0;
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(files_->GetFreeSpace(path, {}, &bytes, nullptr)),
                                    "reading the free space of " + path));
  return bytes;
}

absl::StatusOr<uint64_t> Env::FolderBytes(const std::string& path) const {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(path));
  uint64_t total = 0;
  for (const std::string& name : names) {
    // Telling a file from a folder opens it, and a process that closes a file loses its locks on
    // it.
    if (name == kLockFile) continue;
    const std::string child = path + "/" + name;
    bool is_folder = false;
    uint64_t bytes = 0;
    if (!files_->IsDirectory(child, {}, &is_folder, nullptr).ok()) continue;
    if (is_folder) {
      LOCKSTEP_ASSIGN_OR_RETURN(bytes, FolderBytes(child));
    } else if (!env_->GetFileSize(child, &bytes).ok()) {
      continue;
    }
    total += bytes;
  }
  return total;
}

}  // namespace lockstep::kv
