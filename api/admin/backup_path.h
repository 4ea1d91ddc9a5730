// Restricts where a request may write a backup.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::api {

// Returns the absolute path of the folder `wanted`, without symbolic links. `wanted` is a path
// below `root` or relative to it; "" is `root` itself. Fails with kInvalidArgument if it leads
// elsewhere. Reads the disk, but changes nothing.
absl::StatusOr<std::string> BackupFolderBelow(const std::string& root, std::string_view wanted);

}  // namespace lockstep::api
