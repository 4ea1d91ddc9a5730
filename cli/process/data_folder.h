// The folder that a verb writes to: its path, and who may read its files.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace lockstep::cli {

// Returns the path unchanged if the process's working folder no longer exists.
inline std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// From now on new files and folders get modes 0600 and 0700; an existing `folder` that we own
// becomes 0700. Precondition: no other thread is running.
inline void KeepFilesPrivate(const std::string& folder) {
  umask(S_IRWXG | S_IRWXO);
  // If somebody else owns the folder, such as a volume, the owner decides its mode.
  [[maybe_unused]] const int ignored = chmod(folder.c_str(), S_IRWXU);
}

}  // namespace lockstep::cli
