#include "storage/kv/store.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/utilities/checkpoint.h"
#include "storage/kv/database.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

// The shortest and the longest wait between attempts to resume.
constexpr std::chrono::milliseconds kShortestResumeWait{250};
constexpr std::chrono::milliseconds kLongestResumeWait{4000};
// More unsynced batches than this are not held in memory.
constexpr size_t kMaxBufferedBatches = 64;

}  // namespace

Store::Store(std::string folder, std::shared_ptr<Env> env,
             std::shared_ptr<const Resources> resources)
    : folder_(std::move(folder)), env_(std::move(env)), resources_(std::move(resources)) {}

Store::~Store() { (void)Close(); }

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& folder,
                                                   std::shared_ptr<Env> env,
                                                   std::shared_ptr<const Resources> resources) {
  LOCKSTEP_RETURN_IF_ERROR(env->CreateFolder(folder));
  std::unique_ptr<Store> store(new Store(folder, env, std::move(resources)));
  LOCKSTEP_ASSIGN_OR_RETURN(store->lock_, FolderLock::Take(std::move(env), folder));
  WriterLock lock(store->mutex_);
  LOCKSTEP_ASSIGN_OR_RETURN(store->database_,
                            Database::Open({folder, store->env_, store->resources_},
                                           Database::Access::kReadAndWrite, /*before=*/nullptr));
  LOCKSTEP_ASSIGN_OR_RETURN(store->folder_id_, store->env_->FolderId(folder));
  return store;
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenReadOnly(
    const std::string& folder, std::shared_ptr<Env> env,
    std::shared_ptr<const Resources> resources) {
  return OpenToRead(folder, std::move(env), std::move(resources), /*is_damaged=*/false);
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenDamaged(
    const std::string& folder, std::shared_ptr<Env> env,
    std::shared_ptr<const Resources> resources) {
  return OpenToRead(folder, std::move(env), std::move(resources), /*is_damaged=*/true);
}

absl::StatusOr<std::unique_ptr<Store>> Store::OpenToRead(const std::string& folder,
                                                         std::shared_ptr<Env> env,
                                                         std::shared_ptr<const Resources> resources,
                                                         bool is_damaged) {
  LOCKSTEP_RETURN_IF_ERROR(env->ListFolder(folder).status());
  std::unique_ptr<Store> store(new Store(folder, env, std::move(resources)));
  store->is_read_only_ = true;
  LOCKSTEP_ASSIGN_OR_RETURN(store->lock_, FolderLock::Take(std::move(env), folder));
  WriterLock lock(store->mutex_);
  const Database::Access access =
      is_damaged ? Database::Access::kReadDamaged : Database::Access::kReadOnly;
  LOCKSTEP_ASSIGN_OR_RETURN(
      store->database_,
      Database::Open({folder, store->env_, store->resources_}, access, /*before=*/nullptr));
  return store;
}

std::shared_ptr<const Database> Store::current() const {
  ReaderLock lock(mutex_);
  return database_;
}

absl::StatusOr<std::shared_ptr<const Database>> Store::Changeable() const {
  std::shared_ptr<const Database> database = current();
  LOCKSTEP_RETURN_IF_ERROR(database->failure());
  return database;
}

Batch Store::NewBatch() const {
  const std::shared_ptr<const Database> database = current();
  // The handles live as long as the database.
  return Batch(std::shared_ptr<const Batch::Handles>(database, &database->handles()));
}

absl::Status Store::Commit(Batch& batch, Durability durability) {
  ReaderLock commit_lock(commit_mutex_);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, Changeable());
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kSynced;
  uint64_t buffered_before = 0;
  {
    MutexLock lock(buffered_mutex_);
    buffered_before = buffered_count_;
    if (buffered_.size() >= kMaxBufferedBatches) options.sync = true;
  }
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(database->rocks().Write(options, batch.changes_.get())));
  if (options.sync) database->Committed();
  MutexLock lock(buffered_mutex_);
  if (!options.sync) {
    buffered_.push_back({buffered_count_++, batch.changes_->Data()});
  } else if (!buffered_.empty()) {
    std::erase_if(buffered_,
                  [&](const BufferedBatch& each) { return each.number < buffered_before; });
  }
  return absl::OkStatus();
}

absl::Status Store::CheckFolder() {
  const absl::StatusOr<std::string> id = env_->FolderId(folder_);
  // A failure to look at the folder says nothing about it.
  if (!id.ok() && !absl::IsNotFound(id.status())) return absl::OkStatus();
  if (id.ok() && *id == folder_id_) return absl::OkStatus();
  const absl::Status gone =
      absl::UnavailableError("the folder " + folder_ + (id.ok() ? " was replaced" : " is gone") +
                             ", but the store is still open: put it back, or stop the server");
  current()->Fail(gone);
  return gone;
}

absl::Status Store::CheckFiles() {
  LOCKSTEP_RETURN_IF_ERROR(CheckFolder());
  const absl::Status log = current()->CheckNewestLog();
  if (log.ok()) return log;
  return absl::UnavailableError("the write-ahead log " + folder_ + "/" + std::string(Message(log)) +
                                " was deleted while the store was open: stop the server with "
                                "SIGTERM, so that it saves the samples in memory");
}

absl::Status Store::Resume() {
  MutexLock lock(resume_mutex_);
  LOCKSTEP_RETURN_IF_ERROR(CheckFolder());
  const absl::Status failure = current()->failure();
  if (failure.ok()) return FromRocks(current()->rocks().Resume());
  if (absl::IsDataLoss(failure)) return failure;
  if (Now() < next_resume_) return failure;
  const absl::Status opened = OpenAnew();
  if (opened.ok()) {
    resume_wait_ = std::chrono::milliseconds(0);
    Log(LogLevel::kInfo, "reopened a store after an error",
        {{"folder", folder_}, {"error", failure}});
    return opened;
  }
  resume_wait_ = std::clamp(2 * resume_wait_, kShortestResumeWait, kLongestResumeWait);
  next_resume_ = Now() + resume_wait_;
  return opened;
}

std::chrono::nanoseconds Store::Now() const {
  return std::chrono::nanoseconds(env_->rocks()->NowNanos());
}

absl::Status Store::OpenAnew() {
  WriterLock commit_lock(commit_mutex_);
  std::shared_ptr<Database> before;
  {
    ReaderLock lock(mutex_);
    before = database_;
  }
  LOCKSTEP_RETURN_IF_ERROR(before->Retire());
  LOCKSTEP_ASSIGN_OR_RETURN(
      std::shared_ptr<Database> database,
      Database::Open({folder_, env_, resources_}, Database::Access::kReadAndWrite, before.get()));
  LOCKSTEP_RETURN_IF_ERROR(CommitBufferedAgain(*database));
  WriterLock lock(mutex_);
  database_ = std::move(database);
  return absl::OkStatus();
}

// The part of the log that was cut off may have held them.
absl::Status Store::CommitBufferedAgain(const Database& database) {
  MutexLock lock(buffered_mutex_);
  rocksdb::WriteOptions options;
  options.sync = true;
  for (const BufferedBatch& each : buffered_) {
    rocksdb::WriteBatch changes(each.changes);
    LOCKSTEP_RETURN_IF_ERROR(FromRocks(database.rocks().Write(options, &changes)));
  }
  buffered_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> Store::Get(Space space, std::string_view key) const {
  const std::shared_ptr<const Database> database = current();
  std::string value;
  const rocksdb::Status status =
      database->rocks().Get(rocksdb::ReadOptions(), database->HandleOf(space), key, &value);
  if (status.IsNotFound()) return std::nullopt;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(status));
  return value;
}

SnapshotPtr Store::NewSnapshot() const {
  const std::shared_ptr<const Database> database = current();
  return std::make_shared<const Snapshot>(database, database->rocks().GetSnapshot());
}

Cursor Store::NewCursor(Space space, KeyRange range, const SnapshotPtr& snapshot) const {
  const std::shared_ptr<const Database> database =
      snapshot == nullptr ? current() : snapshot->database;
  auto bounds = std::make_unique<Cursor::Bounds>(std::move(range), database);
  rocksdb::ReadOptions options;
  options.snapshot = snapshot == nullptr ? nullptr : snapshot->at;
  if (!bounds->range.end.empty()) options.iterate_upper_bound = &bounds->upper;
  std::unique_ptr<rocksdb::Iterator> rows(
      database->rocks().NewIterator(options, database->HandleOf(space)));
  return Cursor(std::move(bounds), std::move(rows));
}

std::vector<TableFile> Store::Tables() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  current()->rocks().GetLiveFilesMetaData(&files);
  std::vector<TableFile> tables;
  for (const rocksdb::LiveFileMetaData& file : files) {
    const auto space = std::find(kSpaceNames.begin(), kSpaceNames.end(), file.column_family_name);
    LOCKSTEP_CHECK(space != kSpaceNames.end());
    const size_t slash = file.name.find_last_of('/');
    tables.push_back({file.name.substr(slash + 1), Space(space - kSpaceNames.begin()),
                      file.largestkey, file.size});
  }
  return tables;
}

uint64_t Store::TableBytes(Space space, const KeyRange& range) const {
  const std::shared_ptr<const Database> database = current();
  const rocksdb::Range keys(range.begin, range.end);
  const rocksdb::SizeApproximationOptions options;
  uint64_t bytes = 0;
  const rocksdb::Status status =
      database->rocks().GetApproximateSizes(options, database->HandleOf(space), &keys, 1, &bytes);
  return status.ok() ? bytes : 0;
}

uint64_t Store::BufferedBytes(Space space) const {
  const std::shared_ptr<const Database> database = current();
  uint64_t bytes = 0;
  return database->rocks().GetIntProperty(database->HandleOf(space),
                                          rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes)
             ? bytes
             : 0;
}

absl::StatusOr<uint64_t> Store::UsedBytes() const {
  uint64_t bytes = 0;
  for (const TableFile& table : Tables()) bytes += table.byte_count;
  rocksdb::VectorLogPtr logs;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(current()->rocks().GetSortedWalFiles(logs)));
  for (const auto& log : logs) bytes += log->SizeFileBytes();
  return bytes;
}

uint64_t Store::oldest_log_read() const { return current()->oldest_log_read(); }

// One flush at a time, and none after an error: a RocksDB with assertions ends the process if a
// write buffer whose log could not be created is flushed again.
absl::Status Store::Flush() {
  MutexLock lock(flush_mutex_);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, Changeable());
  const std::vector<rocksdb::ColumnFamilyHandle*> handles(database->handles().begin(),
                                                          database->handles().end());
  return FromRocks(database->rocks().Flush(rocksdb::FlushOptions(), handles));
}

absl::Status Store::Compact(Space space, const KeyRange& range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, Changeable());
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  return FromRocks(database->rocks().CompactRange(rocksdb::CompactRangeOptions(),
                                                  database->HandleOf(space), &begin,
                                                  range.end.empty() ? nullptr : &end));
}

absl::Status Store::DropFiles(Space space, const KeyRange& range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, Changeable());
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  return FromRocks(rocksdb::DeleteFilesInRange(&database->rocks(), database->HandleOf(space),
                                               &begin, &end, /*include_end=*/false));
}

absl::Status Store::CopyTo(const std::string& folder) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, Changeable());
  rocksdb::Checkpoint* made = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(&database->rocks(), &made)));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  return Annotate(FromRocks(checkpoint->CreateCheckpoint(folder)), "copying to " + folder);
}

absl::Status Store::Close() {
  std::shared_ptr<Database> database;
  {
    WriterLock lock(mutex_);
    database.swap(database_);
  }
  if (database == nullptr) return absl::OkStatus();
  const absl::Status closed = database->Close();
  DeleteOptionFiles();
  lock_ = nullptr;
  return closed;
}

// RocksDB writes its options to a file at every start. Nobody reads it: MakeDbOptions() is
// authoritative.
void Store::DeleteOptionFiles() {
  if (is_read_only_) return;
  std::vector<std::string> names;
  if (!env_->rocks()->GetChildren(folder_, &names).ok()) return;
  for (const std::string& name : names) {
    if (name.starts_with("OPTIONS-")) (void)env_->rocks()->DeleteFile(folder_ + "/" + name);
  }
}

}  // namespace lockstep::kv
