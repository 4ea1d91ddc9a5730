#include "storage/kv/fault_files.h"

#include <algorithm>
#include <utility>

namespace lockstep::kv {
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
    return IOStatus::NotSupported("only appending is");
  }
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&,
                            const rocksdb::DataVerificationInfo&, IODebugContext*) override {
    return IOStatus::NotSupported("only appending is");
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
  // Hints and early write-backs promise nothing.
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

}  // namespace lockstep::kv
