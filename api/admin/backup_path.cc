#include "api/admin/backup_path.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::api {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<fs::path> Resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return absl::UnavailableError(error.message());
  fs::path resolved = fs::weakly_canonical(absolute, error);
  if (error) return absl::InvalidArgumentError(error.message());
  // A path with a trailing slash has an empty file name.
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

bool IsBelow(const fs::path& root, const fs::path& path) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

absl::StatusOr<std::string> BackupFolderBelow(const std::string& root, std::string_view wanted) {
  const auto is_control = [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); };
  if (std::any_of(wanted.begin(), wanted.end(), is_control)) {
    return absl::InvalidArgumentError("it contains control characters");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const fs::path allowed, Resolved(root));
  LOCKSTEP_ASSIGN_OR_RETURN(const fs::path folder, Resolved(allowed / fs::path(wanted)));
  if (IsBelow(allowed, folder)) return folder.string();
  return absl::InvalidArgumentError(absl::StrFormat(
      "\"%s\" is not below the backup folder %s (storage.backup.dir)", wanted, allowed.string()));
}

}  // namespace lockstep::api
