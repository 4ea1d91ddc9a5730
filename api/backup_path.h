// Where a request may have a backup written.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::api {

// The folder that `wanted` names, from the root on, with no symbolic link in it: `wanted` is a path below `root` or relative to
// it, "" is `root` itself. kInvalidArgument if it leads elsewhere. Looks at the disk, and changes nothing there.
absl::StatusOr<std::string> BackupFolderBelow(const std::string& root, std::string_view wanted);

}  // namespace lockstep::api
