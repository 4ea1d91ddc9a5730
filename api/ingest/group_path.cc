#include "api/ingest/group_path.h"

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "model/labels.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kPrefix = "/metrics/";
constexpr std::string_view kBase64 = "@base64";

std::string TakeText(std::string_view& path) {
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view text = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return PercentDecode(text, PlusSign::kIsSpace);
}

// Decodes the URL-safe alphabet, with or without padding; "=" is an empty text.
absl::StatusOr<std::string> FromBase64(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  std::string decoded;
  if (!absl::WebSafeBase64Unescape(text, &decoded)) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not URL-safe base64", text));
  }
  return decoded;
}

}  // namespace

absl::StatusOr<ExtraLabels> ParseGroupPath(std::string_view path) {
  if (!path.starts_with(kPrefix))
    return absl::InvalidArgumentError("the path does not name a group");
  path.remove_prefix(kPrefix.size());
  ExtraLabels group;
  while (!path.empty()) {
    std::string name = TakeText(path);
    const bool is_base64 = name.ends_with(kBase64);
    if (is_base64) name.resize(name.size() - kBase64.size());
    if (!IsLegacyLabelName(name) || name.starts_with("__")) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid grouping label name \"%s\"", name));
    }
    if (path.empty()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("the grouping label \"%s\" has no value", name));
    }
    std::string value = TakeText(path);
    if (is_base64) {
      LOCKSTEP_ASSIGN_OR_RETURN(value, FromBase64(std::move(value)));
    }
    const bool is_job = group.empty();
    if (is_job && (name != "job" || value.empty())) {
      return absl::InvalidArgumentError("the group's job name is empty");
    }
    group.Set(name, value);
  }
  if (group.empty()) return absl::InvalidArgumentError("the group's job name is empty");
  return group;
}

}  // namespace lockstep::api
