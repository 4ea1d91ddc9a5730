#include "storage/kv/store_files.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "rocksdb/system_clock.h"

namespace lockstep::kv {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class MarkedLog : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  MarkedLog(std::unique_ptr<rocksdb::FSWritableFile> target, uint64_t number,
            std::shared_ptr<LogMarker> marker)
      : FSWritableFileOwnerWrapper(std::move(target)),
        number_(number),
        marker_(std::move(marker)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    return Appended(data.size(), FSWritableFileWrapper::Append(data, options, debug));
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    return Appended(data.size(), FSWritableFileWrapper::Append(data, options, info, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const uint64_t byte_count = byte_count_;
    return Synced(byte_count, FSWritableFileWrapper::Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const uint64_t byte_count = byte_count_;
    return Synced(byte_count, FSWritableFileWrapper::Fsync(options, debug));
  }

 private:
  IOStatus Appended(uint64_t byte_count, IOStatus status) {
    if (status.ok()) {
      byte_count_ += byte_count;
    } else {
      has_failed_ = true;
    }
    return status;
  }
  // After an error nobody knows what the file holds behind what was synced before, even if a later sync
  // goes well.
  IOStatus Synced(uint64_t byte_count, IOStatus status) {
    if (!status.ok()) has_failed_ = true;
    if (!has_failed_ && byte_count > 0) marker_->Synced({number_, byte_count});
    return status;
  }

  const uint64_t number_;
  const std::shared_ptr<LogMarker> marker_;
  std::atomic<uint64_t> byte_count_ = 0;
  std::atomic<bool> has_failed_ = false;
};

class RocksEnv : public rocksdb::EnvWrapper {
 public:
  RocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files,
           const std::shared_ptr<rocksdb::SystemClock>& clock)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {
    file_system_ = files;
    system_clock_ = clock;
  }
  const char* Name() const override { return "RocksEnv"; }
};

}  // namespace

StoreFiles::StoreFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder,
                       std::shared_ptr<LogMarker> marker)
    : FileSystemWrapper(target), folder_(std::move(folder)), marker_(std::move(marker)) {}

// The number of the log at `path`, if it is one of this store.
std::optional<uint64_t> StoreFiles::LogAt(const std::string& path) const {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos || path.compare(0, slash, folder_) != 0) return std::nullopt;
  return NumberOfLog(std::string_view(path).substr(slash + 1));
}

IOStatus StoreFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                     IODebugContext* debug) {
  IOStatus status = target()->NewWritableFile(path, options, file, debug);
  const std::optional<uint64_t> log = LogAt(path);
  if (status.ok() && log.has_value()) {
    *file = std::make_unique<MarkedLog>(std::move(*file), *log, marker_);
  }
  return status;
}

IOStatus StoreFiles::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  if (const std::optional<uint64_t> log = LogAt(path); log.has_value()) {
    const absl::Status forgotten = marker_->Forget(*log);
    if (!forgotten.ok()) {
      return IOStatus::IOError("its mark stays", std::string(Message(forgotten)));
    }
  }
  return target()->DeleteFile(path, options, debug);
}

std::unique_ptr<rocksdb::Env> MakeRocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files,
                                           const rocksdb::Env& env) {
  return std::make_unique<RocksEnv>(files, env.GetSystemClock());
}

}  // namespace lockstep::kv
