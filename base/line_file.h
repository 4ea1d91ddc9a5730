// LineFile: a log written line by line. If the file is moved away, the next line starts a new file
// under its name, so it can be rotated without notifying the server. Safe from any thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"

namespace lockstep {

class LineFile {
 public:
  // Creates the file with that mode if it does not exist. `what` names it in messages: "query log".
  static absl::StatusOr<std::unique_ptr<LineFile>> Open(std::string path, std::string what,
                                                        mode_t mode);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Appends `line`, which ends in a newline, in a single write. Drops a line that cannot be
  // written, and reports the first of several consecutive failures in the server's log.
  void Add(std::string_view line);

 private:
  LineFile(std::string path, std::string what, mode_t mode)
      : path_(std::move(path)), what_(std::move(what)), mode_(mode) {}
  // Opens the file unless it is already open under its name.
  absl::Status Reach() LOCKSTEP_REQUIRES(mutex_);
  absl::Status Append(std::string_view line) LOCKSTEP_REQUIRES(mutex_);
  absl::Status Failed(std::string_view doing) const;

  const std::string path_;
  const std::string what_;
  const mode_t mode_;
  Mutex mutex_;
  int file_ LOCKSTEP_GUARDED_BY(mutex_) = -1;
  bool failing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
};

}  // namespace lockstep
