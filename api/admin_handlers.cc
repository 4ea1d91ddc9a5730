#include "api/admin_handlers.h"

#include <string>
#include <string_view>
#include <vector>

#include "api/backup_path.h"
#include "api/params.h"
#include "api/reply.h"

namespace lockstep::api {
namespace {

Response DisabledReply() { return ErrorReply(ErrorType::kUnavailable, "admin APIs disabled"); }

}  // namespace

Response HandleSnapshot(const Call& call, StorageAdmin* admin) {
  if (admin == nullptr) return DisabledReply();
  // Samples in memory are in the journal too, and a snapshot without its journal is none.
  if (const auto skip_head = ParseBool(call.form.Get("skip_head")); !skip_head.ok()) {
    return InvalidParameter("skip_head", Message(skip_head.status()));
  }
  const auto name = admin->Snapshot();
  if (!name.ok()) return FailureReply(name.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("name");
    json.String(*name);
    json.EndObject();
  });
}

Response HandleBackup(const Call& call, StorageAdmin* admin, const std::string& backup_folder) {
  if (admin == nullptr) return DisabledReply();
  const auto folder = BackupFolderBelow(backup_folder, call.form.Get("to"));
  if (!folder.ok()) return InvalidParameter("to", Message(folder.status()));
  const auto keep_count = ParseLimit(call.form.Get("keep"));
  if (!keep_count.ok()) return InvalidParameter("keep", Message(keep_count.status()));
  const auto backup = admin->Backup(*folder, *keep_count);
  if (!backup.ok()) return FailureReply(backup.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("number");
    json.Number(backup->number);
    json.Key("timeMs");
    json.Number(backup->time_ms);
    json.Key("bytes");
    json.Number(backup->byte_count);
    json.Key("shards");
    json.Number(backup->shard_count);
    json.EndObject();
  });
}

Response HandleDeleteSeries(const Call& call, StorageAdmin* admin) {
  if (admin == nullptr) return DisabledReply();
  const std::vector<std::string_view> selectors = call.form.GetAll("match[]");
  if (selectors.empty()) return ErrorReply(ErrorType::kBadData, "no match[] parameter provided");
  const auto range = ParseTimeRange(call.form.Get("start"), call.form.Get("end"));
  if (!range.ok()) return ErrorReply(ErrorType::kBadData, Message(range.status()));
  const auto matcher_sets = ParseMatcherSets(selectors);
  if (!matcher_sets.ok()) return InvalidParameter("match[]", Message(matcher_sets.status()));
  const absl::Status status = admin->DeleteSeries(*matcher_sets, *range);
  return status.ok() ? NoContentReply() : FailureReply(status);
}

Response HandleCleanTombstones(const Call&, StorageAdmin* admin) {
  if (admin == nullptr) return DisabledReply();
  const absl::Status status = admin->CleanTombstones();
  return status.ok() ? NoContentReply() : FailureReply(status);
}

}  // namespace lockstep::api
