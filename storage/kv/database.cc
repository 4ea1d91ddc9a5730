#include "storage/kv/database.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "storage/kv/files/rocks_status.h"
#include "storage/kv/marks/log_damage.h"
#include "storage/kv/marks/log_mark.h"
#include "storage/kv/marks/manifest_mark.h"
#include "storage/kv/marks/store_files.h"
#include "storage/kv/rocks_options.h"

namespace lockstep::kv {
namespace {

using Access = Database::Access;

// RocksDB would try to resume by itself after some errors. That is left to the store: a log with a
// failed write, or a write buffer whose log could not be created, must not be used again, and a
// RocksDB with assertions, such as Debian's, ends the process when its own attempt does that.
class FailureListener : public rocksdb::EventListener {
 public:
  explicit FailureListener(std::shared_ptr<Failure> failure) : failure_(std::move(failure)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    if (!IsHarmless(reason, *error)) failure_->Set(FromRocks(*error));
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* recovers) override {
    *recovers = *recovers && IsHarmless(reason, error);
  }

 private:
  // A compaction without room, which is retried.
  static bool IsHarmless(rocksdb::BackgroundErrorReason reason, const rocksdb::Status& error) {
    return reason == rocksdb::BackgroundErrorReason::kCompaction &&
           error.severity() < rocksdb::Status::Severity::kHardError;
  }

  const std::shared_ptr<Failure> failure_;
};

struct CheckedFiles {
  bool is_new = false;  // there are none
  std::vector<SyncedLog> synced_logs;
};

absl::StatusOr<CheckedFiles> CheckFiles(const Database::Place& place) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest, CheckManifest(*place.env, place.folder));
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<SyncedLog> synced_logs,
                            ReadLogMark(*place.env, place.folder, manifest));
  LOCKSTEP_RETURN_IF_ERROR(CheckLogs(*place.env, place.folder, synced_logs));
  return CheckedFiles{manifest.empty(), std::move(synced_logs)};
}

using Handles = std::vector<rocksdb::ColumnFamilyHandle*>;

// RocksDB writes its file of options once for each space that DB::Open() creates, but only once for
// all that are created together.
rocksdb::Status CreateRocks(const rocksdb::DBOptions& options, const std::string& folder,
                            const std::vector<rocksdb::ColumnFamilyDescriptor>& spaces,
                            Handles& handles, rocksdb::DB*& db) {
  rocksdb::Status status = rocksdb::DB::Open(options, folder, {spaces.front()}, &handles, &db);
  if (!status.ok()) return status;
  Handles created;
  status = db->CreateColumnFamilies({spaces.begin() + 1, spaces.end()}, &created);
  handles.insert(handles.end(), created.begin(), created.end());
  if (status.ok()) return status;
  for (rocksdb::ColumnFamilyHandle* const handle : handles) {
    (void)db->DestroyColumnFamilyHandle(handle);
  }
  handles.clear();
  delete db;
  db = nullptr;
  return status;
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenRocks(const Database::Place& place, Access access,
                                                       bool is_new, StoreFiles& files,
                                                       rocksdb::DBOptions& options,
                                                       Handles& handles) {
  const std::vector<rocksdb::ColumnFamilyDescriptor> spaces = MakeSpaceOptions(*place.resources);
  rocksdb::DB* db = nullptr;
  const auto open = [&] {
    if (access != Access::kReadAndWrite) {
      return rocksdb::DB::OpenForReadOnly(options, place.folder, spaces, &handles, &db);
    }
    return is_new ? CreateRocks(options, place.folder, spaces, handles, db)
                  : rocksdb::DB::Open(options, place.folder, spaces, &handles, &db);
  };
  rocksdb::Status opened = open();
  if (opened.IsCorruption() && access == Access::kReadAndWrite) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool is_cut, CutZeroedManifest(*place.env, place.folder));
    if (is_cut) opened = open();
  }
  if (opened.IsCorruption()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const LogDamage damage,
                              FindLogDamage(*place.env, place.folder, files.oldest_log_read()));
    if (damage == LogDamage::kAtEnd) {
      // A power cut can leave a last record of full length with wrong content. It was never
      // acknowledged, so everything before it is complete.
      options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
      opened = open();
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(opened), "opening " + place.folder));
  return std::unique_ptr<rocksdb::DB>(db);
}

StoreFiles::Readers ReadersBefore(const StoreFiles::Readers& readers,
                                  const std::shared_ptr<LeftFiles>& last) {
  StoreFiles::Readers all;
  for (const std::weak_ptr<LeftFiles>& reader : readers) {
    if (!reader.expired()) all.push_back(reader);
  }
  all.push_back(last);
  return all;
}

}  // namespace

void Failure::Set(absl::Status why) {
  MutexLock lock(mutex_);
  if (status_.ok()) status_ = std::move(why);
  is_set_ = true;
}

absl::Status Failure::status() const {
  if (!is_set_) return absl::OkStatus();
  MutexLock lock(mutex_);
  return status_;
}

absl::StatusOr<std::shared_ptr<Database>> Database::Open(const Place& place, Access access,
                                                         const Database* before) {
  const std::shared_ptr<Database> database(new Database);
  rocksdb::DBOptions options = MakeDbOptions(place.folder, *place.env, *place.resources);
  CheckedFiles files;
  if (access == Access::kReadDamaged) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
    options.paranoid_checks = false;
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(files, CheckFiles(place));
  }
  const auto marker =
      std::make_shared<LogMarker>(place.env, place.folder, std::move(files.synced_logs));
  StoreFiles::Readers readers;
  if (before != nullptr) readers = ReadersBefore(before->files_->readers(), before->left_files_);
  database->left_files_ = std::make_shared<LeftFiles>();
  database->files_ = std::make_shared<StoreFiles>(
      place.env->rocks()->GetFileSystem(), place.folder, marker, std::move(readers),
      [failure = database->failure_](const auto& why) { failure->Set(FromRocks(why)); });
  database->env_ = MakeRocksEnv(database->files_, *place.env->rocks());
  options.env = database->env_.get();
  options.listeners.push_back(MakeManifestMarker(place.env, place.folder, marker));
  options.listeners.push_back(std::make_shared<FailureListener>(database->failure_));
  Handles handles;
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> opened =
      OpenRocks(place, access, files.is_new, *database->files_, options, handles);
  if (!opened.ok()) {
    // What ended the opening says more than what failed because of it.
    LOCKSTEP_RETURN_IF_ERROR(Annotate(database->failure(), "opening " + place.folder));
    return opened.status();
  }
  database->db_ = *std::move(opened);
  LOCKSTEP_CHECK(handles.size() == kSpaceCount);
  std::copy(handles.begin(), handles.end(), database->handles_.begin());
  if (access != Access::kReadAndWrite) return database;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest,
                            WriteManifestMark(*place.env, place.folder, *database->db_));
  LOCKSTEP_RETURN_IF_ERROR(marker->Start(manifest));
  return database;
}

Database::~Database() { (void)Close(); }

void Database::Committed() const { files_->Committed(); }

void Database::Fail(const absl::Status& why) const {
  failure_->Set(why);
  files_->Shut();
}

absl::Status Database::CheckNewestLog() const { return files_->CheckNewestLog(); }

uint64_t Database::oldest_log_read() const { return files_->oldest_log_read(); }

absl::Status Database::Retire() {
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  files_->Shut();
  return files_->CutFailedLogs();
}

absl::Status Database::Close() {
  if (db_ == nullptr) return absl::OkStatus();
  rocksdb::Status status;
  for (rocksdb::ColumnFamilyHandle*& handle : handles_) {
    if (handle == nullptr) continue;
    const rocksdb::Status destroyed = db_->DestroyColumnFamilyHandle(handle);
    if (status.ok()) status = destroyed;
    handle = nullptr;
  }
  const rocksdb::Status closed = db_->Close();
  if (status.ok()) status = closed;
  db_.reset();
  return FromRocks(status);
}

Snapshot::Snapshot(std::shared_ptr<const Database> of, const rocksdb::Snapshot* moment)
    : database(std::move(of)), at(moment) {}

Snapshot::~Snapshot() { database->rocks().ReleaseSnapshot(at); }

}  // namespace lockstep::kv
