#include "base/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/log.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<LineFile>> LineFile::Open(std::string path, std::string what,
                                                         mode_t mode) {
  std::unique_ptr<LineFile> file(new LineFile(std::move(path), std::move(what), mode));
  const MutexLock lock(file->mutex_);
  LOCKSTEP_RETURN_IF_ERROR(file->Reach());
  return file;
}

LineFile::~LineFile() {
  if (file_ >= 0) close(file_);
}

absl::Status LineFile::Failed(std::string_view doing) const {
  return absl::UnavailableError(
      absl::StrFormat("cannot %s the %s %s: %s", doing, what_, path_, std::strerror(errno)));
}

absl::Status LineFile::Reach() {
  struct stat named {};
  struct stat open_one {};
  if (file_ >= 0) {
    const bool same = stat(path_.c_str(), &named) == 0 && fstat(file_, &open_one) == 0 &&
                      named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
    if (same) return absl::OkStatus();
    close(file_);
  }
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, mode_);
  return file_ >= 0 ? absl::OkStatus() : Failed("open");
}

absl::Status LineFile::Append(std::string_view line) {
  LOCKSTEP_RETURN_IF_ERROR(Reach());
  const ssize_t written = write(file_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return absl::OkStatus();
  if (written >= 0) errno = ENOSPC;
  return Failed("write to");
}

void LineFile::Add(std::string_view line) {
  const MutexLock lock(mutex_);
  const absl::Status status = Append(line);
  if (!status.ok() && !failing_) {
    Log(LogLevel::kWarn, "cannot write a line to a log file", {{"error", Message(status)}});
  }
  failing_ = !status.ok();
}

}  // namespace lockstep
