#include "storage/kv/faults/power_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lockstep::kv {
namespace {

namespace fs = std::filesystem;

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr size_t kPowerSectorBytes = 512;

IOStatus PowerIsOff() { return IOStatus::IOError("the power is off"); }

std::string FolderOf(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

class PowerFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  PowerFile(PowerFiles& files, PowerFiles::InodePtr inode,
            std::unique_ptr<rocksdb::FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)), files_(files), inode_(std::move(inode)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return files_.Append(inode_, data, [&](Slice bytes) {
      return FSWritableFileWrapper::Append(bytes, options, debug);
    });
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*info*/, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus PositionedAppend(const Slice&, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("only appending is supported");
  }
  IOStatus PositionedAppend(const Slice&, uint64_t, const IOOptions&,
                            const rocksdb::DataVerificationInfo&, IODebugContext*) override {
    return IOStatus::NotSupported("only appending is supported");
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.Cut(inode_, size);
    return status.ok() ? FSWritableFileWrapper::Truncate(size, options, debug) : status;
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return files_.Sync(inode_); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return files_.Sync(inode_); }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 private:
  PowerFiles& files_;
  const PowerFiles::InodePtr inode_;
};

class PowerRWFile : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  PowerRWFile(PowerFiles& files, PowerFiles::InodePtr inode,
              std::unique_ptr<rocksdb::FSRandomRWFile> target)
      : FSRandomRWFileOwnerWrapper(std::move(target)), files_(files), inode_(std::move(inode)) {}

  IOStatus Write(uint64_t at, const Slice& data, const IOOptions& options,
                 IODebugContext* debug) override {
    return files_.Write(inode_, at, data, [&](Slice bytes) {
      return FSRandomRWFileWrapper::Write(at, bytes, options, debug);
    });
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return files_.Sync(inode_); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return files_.Sync(inode_); }

 private:
  PowerFiles& files_;
  const PowerFiles::InodePtr inode_;
};

class PowerFolder : public rocksdb::FSDirectoryWrapper {
 public:
  PowerFolder(PowerFiles& files, std::string path, std::unique_ptr<rocksdb::FSDirectory> target)
      : FSDirectoryWrapper(std::move(target)), files_(files), path_(std::move(path)) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return files_.SyncFolder(path_); }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*,
                               const rocksdb::DirFsyncOptions&) override {
    return files_.SyncFolder(path_);
  }

 private:
  PowerFiles& files_;
  const std::string path_;
};

}  // namespace

PowerFiles::PowerFiles(const std::shared_ptr<rocksdb::FileSystem>& target, std::string root,
                       uint64_t seed)
    : FileSystemWrapper(target), root_(std::move(root)), random_(seed) {}

void PowerFiles::CutPowerAfter(uint64_t n) {
  MutexLock lock(mutex_);
  changes_left_ = n;
}

bool PowerFiles::is_off() const {
  MutexLock lock(mutex_);
  return is_off_;
}

PowerFiles::Power PowerFiles::NextChange() {
  if (is_off_) return Power::kOff;
  if (changes_left_ == 0 || --changes_left_ > 0) return Power::kOn;
  is_off_ = true;
  return Power::kGoes;
}

IOStatus PowerFiles::Write(const InodePtr& inode, uint64_t at, Slice data,
                           const WriteBytes& write) {
  MutexLock lock(mutex_);
  const Power power = NextChange();
  if (power == Power::kOff) return PowerIsOff();
  if (power == Power::kGoes) data = Slice(data.data(), Below(data.size() + 1));
  if (inode->now.size() < at + data.size()) inode->now.resize(at + data.size());
  std::copy_n(data.data(), data.size(), inode->now.begin() + static_cast<ptrdiff_t>(at));
  IOStatus status = write(data);
  return power == Power::kGoes ? PowerIsOff() : status;
}

IOStatus PowerFiles::Append(const InodePtr& inode, Slice data, const WriteBytes& write) {
  uint64_t size = 0;
  {
    MutexLock lock(mutex_);
    size = inode->now.size();
  }
  return Write(inode, size, data, write);
}

IOStatus PowerFiles::Cut(const InodePtr& inode, uint64_t size) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  inode->now.resize(size);
  return IOStatus::OK();
}

IOStatus PowerFiles::Sync(const InodePtr& inode) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  inode->synced = inode->now;
  return IOStatus::OK();
}

IOStatus PowerFiles::SyncFolder(const std::string& folder) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  for (const Change& change : changes_[folder]) Apply(change, synced_);
  changes_[folder].clear();
  return IOStatus::OK();
}

void PowerFiles::Apply(const Change& change, Names& names) {
  if (!change.gone.empty()) names.erase(change.gone);
  if (!change.made.empty()) names[change.made] = change.inode;
}

void PowerFiles::Make(const std::string& path, InodePtr inode) {
  const Change change{"", path, std::move(inode)};
  Apply(change, now_);
  changes_[FolderOf(path)].push_back(change);
}

IOStatus PowerFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                     IODebugContext* debug) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  IOStatus status = target()->NewWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  if (const auto at = now_.find(path); at != now_.end()) {
    at->second->now.clear();
  } else {
    Make(path, std::make_shared<PowerInode>());
  }
  *file = std::make_unique<PowerFile>(*this, now_[path], std::move(*file));
  return status;
}

IOStatus PowerFiles::ReopenWritableFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file,
                                        IODebugContext* debug) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  IOStatus status = target()->ReopenWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  if (!now_.contains(path)) Make(path, std::make_shared<PowerInode>());
  *file = std::make_unique<PowerFile>(*this, now_[path], std::move(*file));
  return status;
}

IOStatus PowerFiles::NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                     IODebugContext* debug) {
  MutexLock lock(mutex_);
  IOStatus status = target()->NewRandomRWFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<PowerRWFile>(*this, now_[path], std::move(*file));
  return status;
}

IOStatus PowerFiles::NewDirectory(const std::string& path, const IOOptions& options,
                                  std::unique_ptr<rocksdb::FSDirectory>* folder,
                                  IODebugContext* debug) {
  IOStatus status = target()->NewDirectory(path, options, folder, debug);
  if (status.ok()) *folder = std::make_unique<PowerFolder>(*this, path, std::move(*folder));
  return status;
}

IOStatus PowerFiles::CreateDirIfMissing(const std::string& path, const IOOptions& options,
                                        IODebugContext* debug) {
  MutexLock lock(mutex_);
  if (path == root_ || now_.contains(path)) return IOStatus::OK();
  if (NextChange() != Power::kOn) return PowerIsOff();
  IOStatus status = target()->CreateDirIfMissing(path, options, debug);
  if (status.ok()) Make(path, nullptr);
  return status;
}

IOStatus PowerFiles::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  MutexLock lock(mutex_);
  if (NextChange() != Power::kOn) return PowerIsOff();
  IOStatus status = target()->DeleteFile(path, options, debug);
  if (!status.ok()) return status;
  const Change change{path, "", nullptr};
  Apply(change, now_);
  changes_[FolderOf(path)].push_back(change);
  return status;
}

IOStatus PowerFiles::RenameFile(const std::string& from, const std::string& to,
                                const IOOptions& options, IODebugContext* debug) {
  MutexLock lock(mutex_);
  if (FolderOf(from) != FolderOf(to))
    return IOStatus::NotSupported("renaming is only supported within a folder");
  if (NextChange() != Power::kOn) return PowerIsOff();
  IOStatus status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) return status;
  const Change change{from, to, now_[from]};
  Apply(change, now_);
  changes_[FolderOf(to)].push_back(change);
  return status;
}

PowerFiles::Names PowerFiles::SurvivingNames() {
  Names names = synced_;
  for (const auto& [folder, changes] : changes_) {
    const uint64_t count = Below(changes.size() + 1);
    for (uint64_t i = 0; i < count; ++i) Apply(changes[i], names);
  }
  // The content of a lost folder is lost too; folders come before their content.
  for (auto at = names.begin(); at != names.end();) {
    const std::string folder = FolderOf(at->first);
    at = folder == root_ || names.contains(folder) ? std::next(at) : names.erase(at);
  }
  return names;
}

std::string PowerFiles::SurvivingBytes(const PowerInode& inode) {
  const auto& [now, synced] = inode;
  const size_t low = std::min(now.size(), synced.size());
  const size_t high = std::max(now.size(), synced.size());
  std::string bytes = synced;
  bytes.resize(low);
  for (size_t at = 0; at < low; at += kPowerSectorBytes) {
    const size_t count = std::min(kPowerSectorBytes, low - at);
    if (now.compare(at, count, synced, at, count) == 0 || Below(2) == 0) continue;
    bytes.replace(at, count, now, at, count);
  }
  // Up to where it grew, or where it was cut.
  const std::string& longer = now.size() > synced.size() ? now : synced;
  bytes.append(longer, low, Below(high - low + 1));
  // The file grew before its bytes were written.
  if (now.size() > synced.size() && Below(4) == 0) bytes.resize(now.size(), '\0');
  return bytes;
}

IOStatus PowerFiles::RestorePower() {
  MutexLock lock(mutex_);
  is_off_ = false;
  changes_left_ = 0;
  const Names names = SurvivingNames();
  for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry.path());
  now_.clear();
  changes_.clear();
  for (const auto& [path, inode] : names) {
    IOStatus status;
    InodePtr survivor;
    if (inode == nullptr) {
      status = target()->CreateDirIfMissing(path, {}, nullptr);
    } else {
      const std::string bytes = SurvivingBytes(*inode);
      status = rocksdb::WriteStringToFile(target(), bytes, path);
      survivor = std::make_shared<PowerInode>(PowerInode{bytes, bytes});
    }
    if (!status.ok()) return status;
    now_[path] = std::move(survivor);
  }
  synced_ = now_;
  return IOStatus::OK();
}

}  // namespace lockstep::kv
