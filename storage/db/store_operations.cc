#include "storage/db/store_operations.h"

#include <chrono>
#include <random>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "storage/db/backup_folder.h"
#include "storage/db/store_layout.h"

namespace lockstep {
namespace {

// "20171210T211224Z-2be650b6d019eb54", as Prometheus names them.
std::string SnapshotName(int64_t now_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(now_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::random_device random;
  const uint64_t suffix = uint64_t{random()} << 32 | random();
  return absl::StrFormat("%04d%02d%02dT%02d%02d%02dZ-%016x", static_cast<int>(date.year()),
                         static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                         clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                         suffix);
}

}  // namespace

absl::StatusOr<BackupSummary> StoreOperations::Backup(const std::string& folder,
                                                      size_t keep_count) {
  std::vector<kv::Store*> stores;
  for (const std::unique_ptr<Shard>& shard : shards_) stores.push_back(shard->state().kv.get());
  LOCKSTEP_ASSIGN_OR_RETURN(std::string manifest,
                            options_.env->ReadFile(ManifestPath(options_.data_dir)));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BackupFolder> backups,
                            BackupFolder::Open(folder, options_.env));
  LOCKSTEP_ASSIGN_OR_RETURN(const BackupSummary summary,
                            backups->Add(stores, std::move(manifest), options_.now_ms()));
  Log(LogLevel::kInfo, "made a backup",
      {{"folder", folder}, {"number", summary.number}, {"bytes", summary.byte_count}});
  LOCKSTEP_RETURN_IF_ERROR(Annotate(
      backups->KeepNewest(keep_count),
      absl::StrFormat("backup %d was made, but older ones were not deleted", summary.number)));
  return summary;
}

absl::StatusOr<std::string> StoreOperations::Snapshot() {
  const std::string name = SnapshotName(options_.now_ms());
  const std::string folder = SnapshotFolder(options_.data_dir, name);
  LOCKSTEP_RETURN_IF_ERROR(options_.env->CreateFolder(folder));
  for (size_t i = 0; i < shards_.size(); ++i) {
    LOCKSTEP_RETURN_IF_ERROR(shards_[i]->state().kv->CopyTo(ShardFolder(folder, i)));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest,
                            options_.env->ReadFile(ManifestPath(options_.data_dir)));
  // Last: what has no manifest is not opened.
  LOCKSTEP_RETURN_IF_ERROR(options_.env->WriteFile(ManifestPath(folder), manifest));
  Log(LogLevel::kInfo, "made a snapshot", {{"folder", folder}});
  return name;
}

absl::Status StoreOperations::DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                                           TimeRange range) {
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(
        Annotate(shard->keeper().Erase(matcher_sets, range),
                 "not all was deleted; once the cause is gone, ask for the same again"));
  }
  return absl::OkStatus();
}

absl::Status StoreOperations::CleanTombstones() {
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().GiveSpaceBack());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
