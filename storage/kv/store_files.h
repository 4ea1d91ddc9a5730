// StoreFiles: the files of one store as RocksDB sees them. Logs are marked as they are synced, and
// lose their mark before they are deleted (log_mark.h).
#pragma once

#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/log_mark.h"

namespace lockstep::kv {

// Safe from any thread, as every file system.
class StoreFiles : public rocksdb::FileSystemWrapper {
 public:
  // Of the store in `folder`; other files are `target`'s alone.
  StoreFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder,
             std::shared_ptr<LogMarker> marker);
  const char* Name() const override { return "StoreFiles"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  std::optional<uint64_t> LogAt(const std::string& path) const;

  const std::string folder_;
  const std::shared_ptr<LogMarker> marker_;
};

// `files` with the clock of `env`, which must outlive it.
std::unique_ptr<rocksdb::Env> MakeRocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files,
                                           const rocksdb::Env& env);

}  // namespace lockstep::kv
