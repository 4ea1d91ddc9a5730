#include "cli/server/backup.h"

#include <simdjson.h>

#include <chrono>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/text/url.h"
#include "cli/process/data_folder.h"
#include "cli/send/import_progress.h"
#include "cli/terminal/table.h"
#include "cli/terminal/time_text.h"
#include "cli/terminal/visible_text.h"
#include "storage/db/backup/backup_folder.h"
#include "storage/db/store.h"

namespace lockstep::cli {
namespace {

// The response arrives only when the copy is complete, so this must cover the whole copy.
constexpr std::chrono::hours kBackupTimeout{24};

ExitCode BackupFailed(const absl::Status& status) {
  std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(status)).c_str());
  return kFailure;
}

// Parses the summary in the server's response.
absl::StatusOr<BackupSummary> ReadAnswer(const HttpReply& reply) {
  simdjson::dom::parser parser;
  simdjson::dom::element answer;
  const auto not_ours = [&reply] {
    return absl::DataLossError(
        absl::StrFormat("the server answered %d: %s", reply.status, reply.body.substr(0, 200)));
  };
  if (parser.parse(reply.body).get(answer) != simdjson::SUCCESS) return not_ours();
  std::string_view error;
  if (answer["error"].get(error) == simdjson::SUCCESS) {
    const bool is_off = error == "admin APIs disabled";
    return absl::FailedPreconditionError(
        absl::StrFormat("the server answered %d: %s%s", reply.status, error,
                        is_off ? "; start it with --web.enable-admin-api" : ""));
  }
  uint64_t number = 0, shard_count = 0;
  BackupSummary summary;
  if (answer["data"]["number"].get(number) != simdjson::SUCCESS ||
      answer["data"]["timeMs"].get(summary.time_ms) != simdjson::SUCCESS ||
      answer["data"]["bytes"].get(summary.byte_count) != simdjson::SUCCESS ||
      answer["data"]["shards"].get(shard_count) != simdjson::SUCCESS) {
    return not_ours();
  }
  summary.number = static_cast<uint32_t>(number);
  summary.shard_count = static_cast<uint32_t>(shard_count);
  return summary;
}

absl::StatusOr<BackupSummary> AskServer(const BackupFlags& flags) {
  HttpClientOptions options = flags.server;
  options.timeout = kBackupTimeout;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client, HttpClient::Make(options));
  const std::string form =
      absl::StrFormat("to=%s&keep=%d", PercentEncode(AbsolutePath(flags.folder)), flags.keep_count);
  LOCKSTEP_ASSIGN_OR_RETURN(
      const HttpReply reply,
      client->Post("/api/v1/admin/backup", {"Content-Type: application/x-www-form-urlencoded"},
                   form));
  return ReadAnswer(reply);
}

absl::StatusOr<BackupSummary> MakeBackup(const BackupFlags& flags) {
  if (flags.data_folder.empty()) return AskServer(flags);
  const size_t keep_count = flags.keep_count == 0 ? SIZE_MAX : flags.keep_count;
  return BackUpStoppedStore(flags.data_folder, flags.folder, keep_count, SystemTimeMs(),
                            kv::Env::Default());
}

// Does not create the folder.
absl::StatusOr<std::unique_ptr<BackupFolder>> OpenBackups(const std::string& folder) {
  LOCKSTEP_RETURN_IF_ERROR(kv::Env::Default()->ListFolder(folder).status());
  return BackupFolder::Open(folder, kv::Env::Default());
}

ExitCode List(const std::string& folder) {
  const auto backups = OpenBackups(folder);
  if (!backups.ok()) return BackupFailed(backups.status());
  const auto summaries = (*backups)->List();
  if (!summaries.ok()) return BackupFailed(summaries.status());
  Table table;
  table.header = {"backup", "made", "shards", "bytes"};
  for (const BackupSummary& summary : *summaries) {
    table.rows.push_back({std::to_string(summary.number), TimeText(summary.time_ms),
                          std::to_string(summary.shard_count), WithThousands(summary.byte_count)});
  }
  std::fputs(ToText(table).c_str(), stdout);
  return kSuccess;
}

absl::StatusOr<uint32_t> NewestOf(const BackupFolder& backups) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<BackupSummary> summaries, backups.List());
  if (summaries.empty()) return absl::NotFoundError("the folder contains no backup");
  return summaries.back().number;
}

absl::StatusOr<uint32_t> RestoreFiles(const RestoreFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BackupFolder> backups, OpenBackups(flags.folder));
  uint32_t number = flags.number;
  if (number == 0) {
    LOCKSTEP_ASSIGN_OR_RETURN(number, NewestOf(*backups));
  }
  LOCKSTEP_RETURN_IF_ERROR(backups->Restore(number, flags.data_folder));
  return number;
}

}  // namespace

ExitCode Backup(const BackupFlags& flags) {
  if (flags.list) return List(flags.folder);
  if (!flags.data_folder.empty()) KeepFilesPrivate(flags.folder);
  const absl::StatusOr<BackupSummary> summary = MakeBackup(flags);
  if (!summary.ok()) return BackupFailed(summary.status());
  std::printf("backup %d: %s bytes of %d shards, as of %s\n", summary->number,
              WithThousands(summary->byte_count).c_str(), summary->shard_count,
              TimeText(summary->time_ms).c_str());
  return kSuccess;
}

ExitCode Restore(const RestoreFlags& flags) {
  KeepFilesPrivate(flags.data_folder);
  const absl::StatusOr<uint32_t> number = RestoreFiles(flags);
  if (!number.ok()) return BackupFailed(number.status());
  StoreOptions options;
  options.data_dir = flags.data_folder;
  // The backup may be older than any retention.
  options.read_only = true;
  const absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options);
  if (!store.ok()) return BackupFailed(Annotate(store.status(), "opening the restored store"));
  const StorageStats stats = (*store)->stats();
  std::printf("restored backup %d to %s: %s series, samples from %s to %s\n", *number,
              flags.data_folder.c_str(), WithThousands(stats.series_count).c_str(),
              TimeText(stats.min_time_ms).c_str(), TimeText(stats.max_time_ms).c_str());
  if (const absl::Status closed = (*store)->Close(); !closed.ok()) return BackupFailed(closed);
  return kSuccess;
}

}  // namespace lockstep::cli
