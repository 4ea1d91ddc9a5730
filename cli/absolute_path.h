// Paths that mean the same from every folder.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace lockstep::cli {

// The path itself if this process's folder is gone.
inline std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace lockstep::cli
