#include "api/admin/admin_handlers.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/admin/backup_path.h"
#include "api/http/params.h"
#include "api/http/reply.h"

namespace lockstep::api {
namespace {

Response DisabledReply() { return ErrorReply(ErrorType::kUnavailable, "admin APIs disabled"); }

}  // namespace

Response HandleReload(const std::function<absl::Status()>& reload) {
  if (!reload) return TextReply(403, "Lifecycle API is not enabled.");
  const absl::Status status = reload();
  if (status.ok()) return TextReply(200, "");
  return TextReply(500, absl::StrFormat("failed to reload config: %s", Message(status)));
}

Response HandleSnapshot(const Call& call, StorageAdmin* admin) {
  if (admin == nullptr) return DisabledReply();
  // A snapshot always includes the journal, which also holds the samples in memory.
  if (const auto skip_head = ParseBool(call.form.Get("skip_head")); !skip_head.ok()) {
    return InvalidParameter("skip_head", Message(skip_head.status()));
  }
  const auto name = admin->Snapshot();
  if (!name.ok()) return FailureReply(name.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("name", *name);
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
    json.Field("number", backup->number);
    json.Field("timeMs", backup->time_ms);
    json.Field("bytes", backup->byte_count);
    json.Field("shards", backup->shard_count);
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
