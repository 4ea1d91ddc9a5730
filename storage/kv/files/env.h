// Env: the store's only access to files. A test can make it fail, and another back end can replace
// it.
//
// Safe from any thread. Must outlive every Store opened with it; Stores share its ownership.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rocksdb {
class Env;
class FileSystem;
}  // namespace rocksdb

namespace lockstep::kv {

class Env {
 public:
  // The operating system's files; one object for the whole process.
  static std::shared_ptr<Env> Default();

  explicit Env(std::shared_ptr<rocksdb::FileSystem> files);
  virtual ~Env();
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  // Creates the folder and its parents, on disk when it returns; OK if it exists.
  absl::Status CreateFolder(const std::string& path);
  // kNotFound if there is no such file.
  absl::StatusOr<std::string> ReadFile(const std::string& path) const;
  // Distinguishes folders that exist at the same path one after the other. kNotFound if there is
  // none.
  absl::StatusOr<std::string> FolderId(const std::string& path) const;
  // The sorted names of the entries of the folder.
  absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) const;
  // The removal is on disk when it returns; OK if there is no such file.
  absl::Status RemoveFile(const std::string& path);
  // Atomic, and on disk when it returns: written to a temporary file beside `path`, synced and
  // renamed.
  absl::Status WriteFile(const std::string& path, std::string_view contents);

  // Bytes that may still be written below `path`.
  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) const;
  // The total size of all files in the folder and below it, except locks. Files that disappear
  // meanwhile are not counted.
  absl::StatusOr<uint64_t> FolderBytes(const std::string& path) const;

  // For storage/kv only.
  rocksdb::Env* rocks() const { return env_.get(); }

 protected:
  // `env` uses `files`.
  Env(std::shared_ptr<rocksdb::FileSystem> files, std::unique_ptr<rocksdb::Env> env);
  rocksdb::FileSystem& files() const { return *files_; }

 private:
  absl::Status SyncFolder(const std::string& path);

  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace lockstep::kv
