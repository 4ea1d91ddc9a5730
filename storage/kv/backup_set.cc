#include "storage/kv/backup_set.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rocksdb/utilities/backup_engine.h"
#include "storage/kv/database.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

// Limits backups, so that they do not slow down the log's syncs.
constexpr uint64_t kBackupBytesPerSecond = uint64_t{128} << 20;

rocksdb::BackupEngineOptions MakeOptions(const std::string& folder, const Env& env) {
  rocksdb::BackupEngineOptions options(folder);
  options.backup_env = env.rocks();
  // Shares by checksum of the content, so that files of different stores never collide on a name.
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  options.sync = true;
  // Some rows may only be in the log when the copy is taken, so the log is part of it.
  options.backup_log_files = true;
  options.backup_rate_limit = kBackupBytesPerSecond;
  return options;
}

}  // namespace

BackupSet::BackupSet(std::shared_ptr<Env> env, rocksdb::BackupEngine* engine)
    : env_(std::move(env)), engine_(engine) {}

BackupSet::~BackupSet() = default;

absl::StatusOr<std::unique_ptr<BackupSet>> BackupSet::Open(const std::string& folder,
                                                           std::shared_ptr<Env> env) {
  LOCKSTEP_RETURN_IF_ERROR(env->CreateFolder(folder));
  rocksdb::BackupEngine* engine = nullptr;
  LOCKSTEP_RETURN_IF_ERROR(Annotate(
      FromRocks(rocksdb::BackupEngine::Open(MakeOptions(folder, *env), env->rocks(), &engine)),
      "opening the backups in " + folder));
  return std::unique_ptr<BackupSet>(new BackupSet(std::move(env), engine));
}

absl::StatusOr<BackupId> BackupSet::Add(Store& store) {
  rocksdb::CreateBackupOptions options;
  // Keeps the log short; table files are not copied twice.
  options.flush_before_backup = true;
  BackupId id = 0;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<const Database> database, store.Changeable());
  LOCKSTEP_RETURN_IF_ERROR(
      Annotate(FromRocks(engine_->CreateNewBackup(options, &database->rocks(), &id)), "copying"));
  return id;
}

absl::Status BackupSet::KeepOnly(std::span<const BackupId> ids) {
  std::vector<rocksdb::BackupInfo> infos;
  engine_->GetBackupInfo(&infos);
  std::vector<BackupId> gone;
  engine_->GetCorruptedBackups(&gone);
  for (const rocksdb::BackupInfo& info : infos) gone.push_back(info.backup_id);
  for (const BackupId id : gone) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    LOCKSTEP_RETURN_IF_ERROR(FromRocks(engine_->DeleteBackup(id)));
  }
  return FromRocks(engine_->GarbageCollect());
}

absl::StatusOr<uint64_t> BackupSet::BytesOf(BackupId id) const {
  rocksdb::BackupInfo info;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(engine_->GetBackupInfo(id, &info)));
  return info.size;
}

absl::Status BackupSet::Verify(BackupId id) const {
  return FromRocks(engine_->VerifyBackup(id, /*verify_with_checksum=*/true));
}

absl::Status BackupSet::Restore(BackupId id, const std::string& folder) const {
  LOCKSTEP_RETURN_IF_ERROR(env_->CreateFolder(folder));
  return Annotate(
      FromRocks(engine_->RestoreDBFromBackup(rocksdb::RestoreOptions(), id, folder, folder)),
      "restoring " + folder);
}

}  // namespace lockstep::kv
