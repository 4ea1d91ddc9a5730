#include "storage/kv/marks/store_files.h"

#include <atomic>
#include <utility>

#include "rocksdb/system_clock.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// More than a table without rows has: only its properties.
constexpr uint64_t kMaxBytesWithoutRows = 4096;

bool IsTable(const std::string& path) { return path.ends_with(".sst"); }

// A file that can be shut off.
class StoreFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  StoreFile(StoreFiles& files, std::unique_ptr<rocksdb::FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)), files_(files) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return files_.WhileOpen([&] { return FSWritableFileWrapper::Append(data, options, debug); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    return files_.WhileOpen(
        [&] { return FSWritableFileWrapper::Append(data, options, info, debug); });
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    return files_.WhileOpen([&] { return FSWritableFileWrapper::Truncate(size, options, debug); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return files_.WhileOpen([&] { return FSWritableFileWrapper::Sync(options, debug); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return files_.WhileOpen([&] { return FSWritableFileWrapper::Fsync(options, debug); });
  }

 protected:
  StoreFiles& files() { return files_; }

 private:
  StoreFiles& files_;
};

// A table. While it may have no rows, it passes no error on.
class TableOutput : public StoreFile {
 public:
  using StoreFile::StoreFile;

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    byte_count_ += data.size();
    return Reported(StoreFile::Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    byte_count_ += data.size();
    return Reported(StoreFile::Append(data, options, info, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return Reported(StoreFile::Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Reported(StoreFile::Fsync(options, debug));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return Reported(StoreFile::Close(options, debug));
  }

 private:
  IOStatus Reported(IOStatus status) {
    if (status.ok() || byte_count_ > kMaxBytesWithoutRows) return status;
    files().Fail(status);
    return IOStatus::OK();
  }

  uint64_t byte_count_ = 0;  // including those of failed calls
};

class LogFile : public StoreFile {
 public:
  LogFile(StoreFiles& files, std::unique_ptr<rocksdb::FSWritableFile> target,
          std::shared_ptr<LogState> state, std::shared_ptr<LogMarker> marker)
      : StoreFile(files, std::move(target)), state_(std::move(state)), marker_(std::move(marker)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return Appended(data.size(), StoreFile::Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    return Appended(data.size(), StoreFile::Append(data, options, info, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const uint64_t byte_count = state_->byte_count;
    return Synced(byte_count, StoreFile::Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const uint64_t byte_count = state_->byte_count;
    return Synced(byte_count, StoreFile::Fsync(options, debug));
  }

 private:
  IOStatus Appended(uint64_t byte_count, IOStatus status) {
    if (status.ok()) {
      state_->byte_count += byte_count;
    } else {
      Failed();
    }
    return status;
  }
  IOStatus Synced(uint64_t byte_count, IOStatus status) {
    // A power cut must not leave the mark of a log without its name.
    if (status.ok() && state_->synced_bytes == 0) status = files().SyncFolder();
    if (!status.ok()) Failed();
    if (has_failed_ || byte_count == state_->synced_bytes) return status;
    state_->synced_bytes = byte_count;
    marker_->Synced({state_->number, byte_count});
    return status;
  }
  // It is unknown what the file holds after its synced part, even if a later sync succeeds.
  void Failed() {
    has_failed_ = true;
    files().LogFailed({state_->number, state_->synced_bytes});
  }

  const std::shared_ptr<LogState> state_;
  const std::shared_ptr<LogMarker> marker_;
  std::atomic<bool> has_failed_ = false;
};

// The store holds the lock of the folder through all its openings.
class HeldLock : public rocksdb::FileLock {};

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

LeftFile::LeftFile(std::shared_ptr<rocksdb::FileSystem> files, std::string path)
    : files_(std::move(files)), path_(std::move(path)) {}

// If it cannot be deleted, the next opening deletes it as a file that belongs to nothing.
LeftFile::~LeftFile() { files_->DeleteFile(path_, {}, nullptr).PermitUncheckedError(); }

void LeftFiles::Add(std::shared_ptr<LeftFile> file) {
  MutexLock lock(mutex_);
  files_.push_back(std::move(file));
}

StoreFiles::StoreFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder,
                       std::shared_ptr<LogMarker> marker, Readers readers,
                       std::function<void(const IOStatus&)> on_failure)
    : FileSystemWrapper(target),
      files_(target),
      folder_(std::move(folder)),
      marker_(std::move(marker)),
      readers_(std::move(readers)),
      on_failure_(std::move(on_failure)) {}

void StoreFiles::Shut() {
  WriterLock lock(gate_);
  is_shut_ = true;
}

void StoreFiles::Fail(const IOStatus& why) {
  on_failure_(why);
  Shut();
}

void StoreFiles::LogFailed(const SyncedLog& log) {
  MutexLock lock(mutex_);
  failed_logs_.emplace(log.number, log.byte_count);
}

IOStatus StoreFiles::SyncFolder() {
  return WhileOpen([&] {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    IOStatus status = target()->NewDirectory(folder_, {}, &folder, nullptr);
    if (status.ok()) status = folder->Fsync({}, nullptr);
    return status;
  });
}

void StoreFiles::Committed() {
  MutexLock lock(mutex_);
  if (newest_log_ != nullptr) newest_log_->has_commits = true;
}

std::shared_ptr<LogState> StoreFiles::newest_log() {
  MutexLock lock(mutex_);
  return newest_log_;
}

// Once there is a newer log, the older one may be missing.
absl::Status StoreFiles::CheckNewestLog() {
  const std::shared_ptr<LogState> log = newest_log();
  if (log == nullptr || log->synced_bytes == 0) return absl::OkStatus();
  const IOStatus found = target()->FileExists(folder_ + "/" + LogName(log->number), {}, nullptr);
  if (!found.IsNotFound() || log != newest_log()) return absl::OkStatus();
  return absl::NotFoundError(LogName(log->number));
}

uint64_t StoreFiles::oldest_log_read() {
  MutexLock lock(mutex_);
  return oldest_log_read_;
}

absl::Status StoreFiles::CutFailedLogs() {
  MutexLock lock(mutex_);
  // RocksDB syncs the folder too after the first sync of a log. If that failed, nothing in the log
  // counts.
  if (newest_log_ != nullptr && newest_log_->synced_bytes > 0 && !newest_log_->has_commits) {
    LOCKSTEP_RETURN_IF_ERROR(marker_->Forget(newest_log_->number));
    failed_logs_[newest_log_->number] = 0;
    newest_log_ = nullptr;
  }
  while (!failed_logs_.empty()) {
    const auto [number, byte_count] = *failed_logs_.begin();
    LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(CutLog({number, byte_count})),
                                      "cutting a failed write off " + LogName(number)));
    failed_logs_.erase(number);
  }
  return absl::OkStatus();
}

IOStatus StoreFiles::CutLog(const SyncedLog& log) {
  const std::string path = folder_ + "/" + LogName(log.number);
  if (target()->FileExists(path, {}, nullptr).IsNotFound()) return IOStatus::OK();
  std::unique_ptr<rocksdb::FSWritableFile> file;
  IOStatus status = target()->ReopenWritableFile(path, {}, &file, nullptr);
  if (status.ok()) status = file->Truncate(log.byte_count, {}, nullptr);
  if (status.ok()) status = file->Sync({}, nullptr);
  if (status.ok()) status = file->Close({}, nullptr);
  return status;
}

// The number of the log at `path`, if it is a log of this store.
std::optional<uint64_t> StoreFiles::LogAt(const std::string& path) const {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos || path.compare(0, slash, folder_) != 0) return std::nullopt;
  return NumberOfLog(std::string_view(path).substr(slash + 1));
}

IOStatus StoreFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                       IODebugContext* debug) {
  if (const std::optional<uint64_t> log = LogAt(path); log.has_value()) {
    MutexLock lock(mutex_);
    if (oldest_log_read_ == 0 || *log < oldest_log_read_) oldest_log_read_ = *log;
  }
  return target()->NewSequentialFile(path, options, file, debug);
}

IOStatus StoreFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                     IODebugContext* debug) {
  IOStatus status =
      WhileOpen([&] { return target()->NewWritableFile(path, options, file, debug); });
  if (!status.ok()) return status;
  if (const std::optional<uint64_t> log = LogAt(path); log.has_value()) {
    const auto state = std::make_shared<LogState>(*log);
    *file = std::make_unique<LogFile>(*this, std::move(*file), state, marker_);
    MutexLock lock(mutex_);
    newest_log_ = state;
  } else if (IsTable(path)) {
    *file = std::make_unique<TableOutput>(*this, std::move(*file));
  } else {
    *file = std::make_unique<StoreFile>(*this, std::move(*file));
  }
  return status;
}

IOStatus StoreFiles::ReopenWritableFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file,
                                        IODebugContext* debug) {
  IOStatus status =
      WhileOpen([&] { return target()->ReopenWritableFile(path, options, file, debug); });
  if (status.ok()) *file = std::make_unique<StoreFile>(*this, std::move(*file));
  return status;
}

// Whether a reader uses the file; then it is deleted when the last one is done.
bool StoreFiles::LeaveToReaders(const std::string& path) {
  if (!IsTable(path)) return false;
  std::shared_ptr<LeftFile> file;
  for (const std::weak_ptr<LeftFiles>& each : readers_) {
    const std::shared_ptr<LeftFiles> reader = each.lock();
    if (reader == nullptr) continue;
    if (file == nullptr) file = std::make_shared<LeftFile>(files_, path);
    reader->Add(file);
  }
  return file != nullptr;
}

IOStatus StoreFiles::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  return WhileOpen([&] {
    if (LeaveToReaders(path)) return IOStatus::OK();
    if (const std::optional<uint64_t> log = LogAt(path); log.has_value()) {
      const absl::Status forgotten = marker_->Forget(*log);
      if (!forgotten.ok()) {
        return IOStatus::IOError("cannot remove the log's mark", std::string(Message(forgotten)));
      }
    }
    return target()->DeleteFile(path, options, debug);
  });
}

IOStatus StoreFiles::RenameFile(const std::string& from, const std::string& to,
                                const IOOptions& options, IODebugContext* debug) {
  return WhileOpen([&] { return target()->RenameFile(from, to, options, debug); });
}

IOStatus StoreFiles::LinkFile(const std::string& from, const std::string& to,
                              const IOOptions& options, IODebugContext* debug) {
  return WhileOpen([&] { return target()->LinkFile(from, to, options, debug); });
}

IOStatus StoreFiles::LockFile(const std::string& path, const IOOptions& options,
                              rocksdb::FileLock** lock, IODebugContext* debug) {
  if (path != folder_ + "/LOCK") return target()->LockFile(path, options, lock, debug);
  *lock = new HeldLock;
  return IOStatus::OK();
}

IOStatus StoreFiles::UnlockFile(rocksdb::FileLock* lock, const IOOptions& options,
                                IODebugContext* debug) {
  auto* held = dynamic_cast<HeldLock*>(lock);
  if (held == nullptr) return target()->UnlockFile(lock, options, debug);
  delete held;
  return IOStatus::OK();
}

std::unique_ptr<rocksdb::Env> MakeRocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files,
                                           const rocksdb::Env& env) {
  return std::make_unique<RocksEnv>(files, env.GetSystemClock());
}

}  // namespace lockstep::kv
