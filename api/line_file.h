// LineFile: a log that is written line by line. When somebody moves the file away, the next line begins a new one under its
// name: it may be rotated with no word to the server. Safe from any thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"

namespace lockstep::api {

class LineFile {
 public:
  // Makes the file if it is not there, with that mode. `what` it is, for messages: "query log".
  static absl::StatusOr<std::unique_ptr<LineFile>> Open(std::string path, std::string what,
                                                        mode_t mode);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Appends `line`, which ends in a line feed, by one write. One that cannot be written is dropped; the first of a row of
  // them is told in the server's log.
  void Add(std::string_view line);

 private:
  LineFile(std::string path, std::string what, mode_t mode)
      : path_(std::move(path)), what_(std::move(what)), mode_(mode) {}
  // Opens the file unless it is open under its name already.
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

}  // namespace lockstep::api
