// Env: the only way from the store to files. Everything that the store keeps is reached through
// one, so that a test can make it fail and another back end can replace it.
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

  // With the folders above it, and on disk when it returns; fine if it is there.
  absl::Status CreateFolder(const std::string& path);
  // kNotFound if there is no such file.
  absl::StatusOr<std::string> ReadFile(const std::string& path) const;
  // Tells folders apart that are at one path one after the other. kNotFound if there is none.
  absl::StatusOr<std::string> FolderId(const std::string& path) const;
  // The names of what is in the folder, sorted.
  absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) const;
  // Gone for good when it returns; fine if there is no such file.
  absl::Status RemoveFile(const std::string& path);
  // All or nothing, and on disk when it returns: written beside `path`, synced and renamed.
  absl::Status WriteFile(const std::string& path, std::string_view contents);

  // Bytes that may still be written below `path`.
  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) const;
  // The sizes of all files in the folder and below it, but for locks. Files that go while it looks are
  // not counted.
  absl::StatusOr<uint64_t> FolderBytes(const std::string& path) const;

  // For storage/kv alone.
  rocksdb::Env* rocks() const { return env_.get(); }

 protected:
  // `env` reaches `files`.
  Env(std::shared_ptr<rocksdb::FileSystem> files, std::unique_ptr<rocksdb::Env> env);
  rocksdb::FileSystem& files() const { return *files_; }

 private:
  absl::Status SyncFolder(const std::string& path);

  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace lockstep::kv
