#include "import/tail/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::tail {
namespace {

absl::Status Failed(std::string_view what) {
  return absl::NotFoundError(absl::StrFormat("cannot %s it: %s", what, std::strerror(errno)));
}

}  // namespace

absl::StatusOr<OpenFile> OpenFile::Open(const std::string& path) {
  // Opening a pipe would block until it has a writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Failed("open");
  return OpenFile(file);
}

OpenFile::OpenFile(OpenFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

OpenFile::~OpenFile() {
  if (file_ >= 0) close(file_);
}

absl::StatusOr<OpenFile::About> OpenFile::Look() const {
  struct stat about {};
  if (fstat(file_, &about) != 0) return Failed("examine");
  const int64_t modified_ms = about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1'000'000;
  return About{about.st_dev, about.st_ino,           static_cast<uint64_t>(about.st_size),
               modified_ms,  S_ISREG(about.st_mode), about.st_nlink == 0};
}

absl::Status OpenFile::Read(uint64_t offset, size_t size, std::string& bytes) const {
  bytes.resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t read =
        pread(file_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return Failed("read");
    if (read == 0) break;
    done += static_cast<size_t>(read);
  }
  bytes.resize(done);
  return absl::OkStatus();
}

}  // namespace lockstep::tail
