#include "storage/kv/store.h"

#include <algorithm>

#include "base/check.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/checkpoint.h"
#include "storage/kv/cursor_bounds.h"
#include "storage/kv/log_damage.h"
#include "storage/kv/log_mark.h"
#include "storage/kv/manifest_mark.h"
#include "storage/kv/rocks_options.h"
#include "storage/kv/rocks_status.h"
#include "storage/kv/store_files.h"

namespace lockstep::kv {

Store::Store(std::string folder, std::shared_ptr<Env> env,
             std::shared_ptr<const Resources> resources)
    : folder_(std::move(folder)), env_(std::move(env)), resources_(std::move(resources)) {}

Store::~Store() { (void)Close(); }

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& folder,
                                                   std::shared_ptr<Env> env,
                                                   std::shared_ptr<const Resources> resources) {
  LOCKSTEP_RETURN_IF_ERROR(env->CreateFolder(folder));
  // RocksDB takes this lock again; here its absence has a clear message.
  LOCKSTEP_RETURN_IF_ERROR(FolderLock::Take(env, folder).status());
  std::unique_ptr<Store> store(new Store(folder, std::move(env), std::move(resources)));
  LOCKSTEP_RETURN_IF_ERROR(store->OpenDb(Access::kReadAndWrite));
  return store;
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenReadOnly(
    const std::string& folder, std::shared_ptr<Env> env,
    std::shared_ptr<const Resources> resources) {
  return OpenToRead(folder, std::move(env), std::move(resources), Access::kReadOnly);
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenDamaged(
    const std::string& folder, std::shared_ptr<Env> env,
    std::shared_ptr<const Resources> resources) {
  return OpenToRead(folder, std::move(env), std::move(resources), Access::kReadDamaged);
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenToRead(const std::string& folder,
                                                         std::shared_ptr<Env> env,
                                                         std::shared_ptr<const Resources> resources,
                                                         Access access) {
  LOCKSTEP_RETURN_IF_ERROR(env->ListFolder(folder).status());
  std::unique_ptr<Store> store(new Store(folder, env, std::move(resources)));
  LOCKSTEP_ASSIGN_OR_RETURN(store->read_lock_, FolderLock::Take(std::move(env), folder));
  LOCKSTEP_RETURN_IF_ERROR(store->OpenDb(access));
  return store;
}

absl::Status Store::OpenDb(Access access) {
  rocksdb::DBOptions options = MakeDbOptions(folder_, *env_, *resources_);
  std::vector<SyncedLog> synced_logs;
  if (access == Access::kReadDamaged) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
    options.paranoid_checks = false;
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest, CheckManifest(*env_, folder_));
    LOCKSTEP_ASSIGN_OR_RETURN(synced_logs, ReadLogMark(*env_, folder_, manifest));
    LOCKSTEP_RETURN_IF_ERROR(CheckLogs(*env_, folder_, synced_logs));
  }
  const auto marker = std::make_shared<LogMarker>(env_, folder_, std::move(synced_logs));
  rocks_env_ = MakeRocksEnv(
      std::make_shared<StoreFiles>(env_->rocks()->GetFileSystem(), folder_, marker),
      *env_->rocks());
  options.env = rocks_env_.get();
  options.listeners.push_back(MakeManifestMarker(env_, folder_, marker));
  const std::vector<rocksdb::ColumnFamilyDescriptor> spaces = MakeSpaceOptions(*resources_);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const auto open = [&] {
    return access == Access::kReadAndWrite
               ? rocksdb::DB::Open(options, folder_, spaces, &handles, &db)
               : rocksdb::DB::OpenForReadOnly(options, folder_, spaces, &handles, &db);
  };
  rocksdb::Status opened = open();
  if (opened.IsCorruption()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const LogDamage damage, FindLogDamage(*env_, folder_));
    if (damage == LogDamage::kAtEnd) {
      // A power cut can leave a last record of full length with other content. It was never
      // acknowledged, so what is before it is all there is.
      options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
      opened = open();
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(opened), "opening " + folder_));
  db_.reset(db);
  LOCKSTEP_CHECK(handles.size() == kSpaceCount);
  std::copy(handles.begin(), handles.end(), handles_.begin());
  if (access != Access::kReadAndWrite) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest, WriteManifestMark(*env_, folder_, *db_));
  return marker->Start(manifest);
}

Batch Store::NewBatch() const { return Batch(handles_); }

absl::Status Store::Commit(Batch& batch, Durability durability) {
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kSynced;
  return FromRocks(db_->Write(options, batch.changes_.get()));
}

absl::Status Store::Resume() { return FromRocks(db_->Resume()); }

absl::StatusOr<std::optional<std::string>> Store::Get(Space space, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), HandleOf(space), key, &value);
  if (status.IsNotFound()) return std::nullopt;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(status));
  return value;
}

SnapshotPtr Store::NewSnapshot() const {
  rocksdb::DB* db = db_.get();
  return SnapshotPtr(db->GetSnapshot(),
                     [db](const rocksdb::Snapshot* snapshot) { db->ReleaseSnapshot(snapshot); });
}

Cursor Store::NewCursor(Space space, KeyRange range, const SnapshotPtr& snapshot) const {
  auto bounds = std::make_unique<Cursor::Bounds>(std::move(range));
  rocksdb::ReadOptions options;
  options.snapshot = snapshot.get();
  if (!bounds->range.end.empty()) options.iterate_upper_bound = &bounds->upper;
  std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, HandleOf(space)));
  return Cursor(std::move(bounds), std::move(rows));
}

std::vector<TableFile> Store::Tables() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<TableFile> tables;
  for (const rocksdb::LiveFileMetaData& file : files) {
    const auto space = std::find(kSpaceNames.begin(), kSpaceNames.end(), file.column_family_name);
    LOCKSTEP_CHECK(space != kSpaceNames.end());
    const size_t slash = file.name.find_last_of('/');
    tables.push_back({file.name.substr(slash + 1), Space(space - kSpaceNames.begin()),
                      file.smallestkey, file.largestkey, file.size});
  }
  return tables;
}

uint64_t Store::TableBytes(Space space, const KeyRange& range) const {
  const rocksdb::Range keys(range.begin, range.end);
  const rocksdb::SizeApproximationOptions options;
  uint64_t bytes = 0;
  return db_->GetApproximateSizes(options, HandleOf(space), &keys, 1, &bytes).ok() ? bytes : 0;
}

absl::StatusOr<uint64_t> Store::UsedBytes() const {
  uint64_t bytes = 0;
  for (const TableFile& table : Tables()) bytes += table.byte_count;
  rocksdb::VectorLogPtr logs;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(db_->GetSortedWalFiles(logs)));
  for (const auto& log : logs) bytes += log->SizeFileBytes();
  return bytes;
}

absl::Status Store::Flush() {
  const std::vector<rocksdb::ColumnFamilyHandle*> handles(handles_.begin(), handles_.end());
  return FromRocks(db_->Flush(rocksdb::FlushOptions(), handles));
}

absl::Status Store::Compact(Space space, const KeyRange& range) {
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  return FromRocks(db_->CompactRange(rocksdb::CompactRangeOptions(), HandleOf(space), &begin,
                                     range.end.empty() ? nullptr : &end));
}

absl::Status Store::DropFiles(Space space, const KeyRange& range) {
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  return FromRocks(rocksdb::DeleteFilesInRange(db_.get(), HandleOf(space), &begin, &end,
                                               /*include_end=*/false));
}

absl::Status Store::CopyTo(const std::string& folder) {
  rocksdb::Checkpoint* made = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(db_.get(), &made)));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  return Annotate(FromRocks(checkpoint->CreateCheckpoint(folder)), "copying to " + folder);
}

absl::Status Store::Close() {
  if (db_ == nullptr) return absl::OkStatus();
  rocksdb::Status status;
  for (rocksdb::ColumnFamilyHandle*& handle : handles_) {
    const rocksdb::Status destroyed = db_->DestroyColumnFamilyHandle(handle);
    if (status.ok()) status = destroyed;
    handle = nullptr;
  }
  const rocksdb::Status closed = db_->Close();
  if (status.ok()) status = closed;
  db_.reset();
  DeleteOptionFiles();
  return FromRocks(status);
}

// At every start RocksDB writes its options to a file. Nobody reads it: MakeDbOptions() is what counts.
void Store::DeleteOptionFiles() {
  if (read_lock_ != nullptr) return;
  std::vector<std::string> names;
  if (!env_->rocks()->GetChildren(folder_, &names).ok()) return;
  for (const std::string& name : names) {
    if (name.starts_with("OPTIONS-")) (void)env_->rocks()->DeleteFile(folder_ + "/" + name);
  }
}

}  // namespace lockstep::kv
