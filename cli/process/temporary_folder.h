// TemporaryFolder: an empty folder in the system's folder for temporary files. The destructor
// removes it and its contents. Not thread-safe.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"
#include "base/status.h"

namespace lockstep::cli {

class TemporaryFolder {
 public:
  // `purpose` becomes part of its name.
  explicit TemporaryFolder(std::string_view purpose) {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    path_ = (parent / absl::StrFormat("lockstep-%s-XXXXXX", purpose)).string();
    is_made_ = !error && mkdtemp(path_.data()) != nullptr;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (is_made_) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // kUnavailable if the folder could not be created.
  absl::StatusOr<std::string> path() const {
    if (is_made_) return path_;
    return absl::UnavailableError(
        absl::StrFormat("cannot create the folder %s; set TMPDIR to use another place", path_));
  }

 private:
  std::string path_;
  bool is_made_ = false;
};

}  // namespace lockstep::cli
