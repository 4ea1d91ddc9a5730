// What this process writes is for its user alone.
#pragma once

#include <sys/stat.h>

#include <string>

namespace lockstep::cli {

// Files and folders that are made from here on are 0600 and 0700, and `folder` is 0700 if it is there and ours.
// Precondition: no other thread runs yet.
inline void KeepFilesPrivate(const std::string& folder) {
  umask(S_IRWXG | S_IRWXO);
  // Of somebody else's folder, a volume's say, its owner decides.
  [[maybe_unused]] const int ignored = chmod(folder.c_str(), S_IRWXU);
}

}  // namespace lockstep::cli
