#include "storage/kv/faults/fault_env.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/faults/impatient_env.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {

// The FileSystem behind FaultEnv.
class FaultFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFiles(const std::shared_ptr<rocksdb::FileSystem>& target)
      : rocksdb::FileSystemWrapper(target) {}
  const char* Name() const override { return "FaultFiles"; }

  // Counts a change, and returns whether it may proceed.
  enum class Room { kNeeded, kNotNeeded };
  rocksdb::IOStatus MayChange(Room room);
  void Appended(const std::string& path, uint64_t size);
  void Synced(const std::string& path);
  void Truncated(const std::string& path, uint64_t size);

  void FailFrom(uint64_t n);
  void Heal();
  void SetFull(bool is_full);
  void SetFreeBytes(uint64_t bytes);
  uint64_t change_count() const;
  uint64_t appended_bytes() const;
  void CutPower();
  rocksdb::IOStatus RestorePower(UnsyncedTail tail);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* bytes, rocksdb::IODebugContext* debug) override;

 private:
  struct Sizes {
    uint64_t written = 0;
    uint64_t synced = 0;
  };
  rocksdb::IOStatus DropTail(const std::string& path, Sizes sizes, UnsyncedTail tail);

  mutable Mutex mutex_;
  std::map<std::string, Sizes> sizes_ LOCKSTEP_GUARDED_BY(mutex_);  // by file that was written
  uint64_t change_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t appended_bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t fail_from_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // the number of a change; 0: none
  bool is_full_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool is_off_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::optional<uint64_t> free_bytes_ LOCKSTEP_GUARDED_BY(mutex_);
};

namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

using Room = FaultFiles::Room;

class FaultFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultFile(FaultFiles& files, std::string path, std::unique_ptr<rocksdb::FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)), files_(files), path_(std::move(path)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    IOStatus status = files_.MayChange(Room::kNeeded);
    if (status.ok()) status = FSWritableFileWrapper::Append(data, options, debug);
    if (status.ok()) files_.Appended(path_, data.size());
    return status;
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*info*/, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&,
                            IODebugContext*) override {
    return IOStatus::NotSupported("only appending is supported");
  }
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&,
                            const rocksdb::DataVerificationInfo&, IODebugContext*) override {
    return IOStatus::NotSupported("only appending is supported");
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.MayChange(Room::kNotNeeded);
    if (status.ok()) status = FSWritableFileWrapper::Truncate(size, options, debug);
    if (status.ok()) files_.Truncated(path_, size);
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.MayChange(Room::kNeeded);
    if (status.ok()) status = FSWritableFileWrapper::Flush(options, debug);
    if (status.ok()) files_.Synced(path_);
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Sync(options, debug);
  }
  // Hints and early write-backs guarantee nothing.
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 private:
  FaultFiles& files_;
  const std::string path_;
};

class FaultFolder : public rocksdb::FSDirectoryWrapper {
 public:
  FaultFolder(FaultFiles& files, std::unique_ptr<rocksdb::FSDirectory> target)
      : FSDirectoryWrapper(std::move(target)), files_(files) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return files_.MayChange(Room::kNotNeeded);
  }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*,
                               const rocksdb::DirFsyncOptions&) override {
    return files_.MayChange(Room::kNotNeeded);
  }

 private:
  FaultFiles& files_;
};

}  // namespace

IOStatus FaultFiles::MayChange(Room room) {
  MutexLock lock(mutex_);
  ++change_count_;
  if (is_off_) return IOStatus::IOError("the power is off");
  if (fail_from_ != 0 && change_count_ >= fail_from_) return IOStatus::IOError("a planted fault");
  if (!is_full_ || room == Room::kNotNeeded) return IOStatus::OK();
  IOStatus full = IOStatus::NoSpace("a planted full disk");
  full.SetRetryable(true);
  return full;
}

void FaultFiles::Appended(const std::string& path, uint64_t size) {
  MutexLock lock(mutex_);
  appended_bytes_ += size;
  sizes_[path].written += size;
}

void FaultFiles::Synced(const std::string& path) {
  MutexLock lock(mutex_);
  Sizes& sizes = sizes_[path];
  sizes.synced = sizes.written;
}

void FaultFiles::Truncated(const std::string& path, uint64_t size) {
  MutexLock lock(mutex_);
  Sizes& sizes = sizes_[path];
  sizes.written = size;
  sizes.synced = std::min(sizes.synced, size);
}

void FaultFiles::FailFrom(uint64_t n) {
  MutexLock lock(mutex_);
  fail_from_ = change_count_ + n;
}

void FaultFiles::Heal() {
  MutexLock lock(mutex_);
  fail_from_ = 0;
}

void FaultFiles::SetFull(bool is_full) {
  MutexLock lock(mutex_);
  is_full_ = is_full;
}

void FaultFiles::SetFreeBytes(uint64_t bytes) {
  MutexLock lock(mutex_);
  free_bytes_ = bytes;
}

uint64_t FaultFiles::change_count() const {
  MutexLock lock(mutex_);
  return change_count_;
}

uint64_t FaultFiles::appended_bytes() const {
  MutexLock lock(mutex_);
  return appended_bytes_;
}

void FaultFiles::CutPower() {
  MutexLock lock(mutex_);
  is_off_ = true;
}

IOStatus FaultFiles::RestorePower(UnsyncedTail tail) {
  std::map<std::string, Sizes> sizes;
  {
    MutexLock lock(mutex_);
    is_off_ = false;
    fail_from_ = 0;
    sizes.swap(sizes_);
  }
  for (const auto& [path, of] : sizes) {
    if (of.written == of.synced) continue;
    IOStatus status = DropTail(path, of, tail);
    if (!status.ok()) return status;
  }
  return IOStatus::OK();
}

IOStatus FaultFiles::DropTail(const std::string& path, Sizes sizes, UnsyncedTail tail) {
  const uint64_t unsynced = sizes.written - sizes.synced;
  std::string contents;
  IOStatus status = rocksdb::ReadFileToString(target(), path, &contents);
  if (!status.ok()) return status;
  contents.resize(sizes.synced + (tail == UnsyncedTail::kTorn ? unsynced / 2 : 0));
  if (tail == UnsyncedTail::kZeroed) contents.resize(sizes.written, '\0');
  return rocksdb::WriteStringToFile(target(), contents, path);
}

IOStatus FaultFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                     IODebugContext* debug) {
  IOStatus status = MayChange(Room::kNeeded);
  if (status.ok()) status = target()->NewWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  *file = std::make_unique<FaultFile>(*this, path, std::move(*file));
  MutexLock lock(mutex_);
  sizes_[path] = {};
  return status;
}

IOStatus FaultFiles::ReopenWritableFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file,
                                        IODebugContext* debug) {
  uint64_t size = 0;
  IOStatus status = target()->GetFileSize(path, {}, &size, debug);
  if (status.ok()) status = MayChange(Room::kNeeded);
  if (status.ok()) status = target()->ReopenWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  *file = std::make_unique<FaultFile>(*this, path, std::move(*file));
  MutexLock lock(mutex_);
  sizes_.try_emplace(path, Sizes{size, size});
  return status;
}

IOStatus FaultFiles::NewDirectory(const std::string& path, const IOOptions& options,
                                  std::unique_ptr<rocksdb::FSDirectory>* folder,
                                  IODebugContext* debug) {
  IOStatus status = target()->NewDirectory(path, options, folder, debug);
  if (status.ok()) *folder = std::make_unique<FaultFolder>(*this, std::move(*folder));
  return status;
}

IOStatus FaultFiles::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  {
    MutexLock lock(mutex_);
    if (is_off_) return IOStatus::IOError("the power is off");
    sizes_.erase(path);
  }
  return target()->DeleteFile(path, options, debug);
}

IOStatus FaultFiles::RenameFile(const std::string& from, const std::string& to,
                                const IOOptions& options, IODebugContext* debug) {
  IOStatus status = MayChange(Room::kNotNeeded);
  if (status.ok()) status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  const auto moved = sizes_.extract(from);
  if (!moved.empty()) sizes_[to] = moved.mapped();
  return status;
}

IOStatus FaultFiles::GetFreeSpace(const std::string& path, const IOOptions& options,
                                  uint64_t* bytes, IODebugContext* debug) {
  {
    MutexLock lock(mutex_);
    if (is_full_ || free_bytes_.has_value()) {
      *bytes = is_full_ ? 0 : *free_bytes_;
      return IOStatus::OK();
    }
  }
  return target()->GetFreeSpace(path, options, bytes, debug);
}

std::shared_ptr<FaultEnv> FaultEnv::Make() {
  return std::shared_ptr<FaultEnv>(
      new FaultEnv(std::make_shared<FaultFiles>(rocksdb::FileSystem::Default())));
}

FaultEnv::FaultEnv(std::shared_ptr<FaultFiles> files)
    : Env(files, MakeImpatientEnv(files)), fault_files_(files) {}
FaultEnv::~FaultEnv() = default;

void FaultEnv::FailFrom(uint64_t n) { fault_files_->FailFrom(n); }
void FaultEnv::Heal() { fault_files_->Heal(); }
void FaultEnv::SetFull(bool is_full) { fault_files_->SetFull(is_full); }
void FaultEnv::SetFreeBytes(uint64_t bytes) { fault_files_->SetFreeBytes(bytes); }
uint64_t FaultEnv::change_count() const { return fault_files_->change_count(); }
uint64_t FaultEnv::appended_bytes() const { return fault_files_->appended_bytes(); }
void FaultEnv::CutPower() { fault_files_->CutPower(); }

absl::Status FaultEnv::RestorePower(UnsyncedTail tail) {
  return FromRocks(fault_files_->RestorePower(tail));
}

}  // namespace lockstep::kv
