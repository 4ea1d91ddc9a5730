#include "import/line_source.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

constexpr unsigned kReadBytes = 256 << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<LineSource>> LineSource::Open(const std::string& path) {
  const gzFile file = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("cannot open \"%s\": %s", path, std::strerror(errno)));
  }
  gzbuffer(file, kReadBytes);
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return std::unique_ptr<LineSource>(new LineSource(file, path, error ? 0 : size));
}

absl::StatusOr<bool> LineSource::Next(std::string_view& line) {
  size_t searched = begin_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++line_number_;
      return true;
    }
    if (buffer_.size() - begin_ > kMaxLineBytes) {
      return absl::InvalidArgumentError(absl::StrFormat("line %d of %s is longer than %d bytes",
                                                        line_number_ + 1, path_, kMaxLineBytes));
    }
    if (at_end_) break;
    searched = buffer_.size() - begin_;
    LOCKSTEP_RETURN_IF_ERROR(Fill());
  }
  if (begin_ == buffer_.size()) return false;
  line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  ++line_number_;
  return true;
}

// Moves what is unread to the front, which makes `begin_` 0.
absl::Status LineSource::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + kReadBytes);
  const int size = gzread(file_.get(), buffer_.data() + kept, kReadBytes);
  buffer_.resize(kept + (size > 0 ? static_cast<size_t>(size) : 0));
  int error = Z_OK;
  const char* message = gzerror(file_.get(), &error);
  if (size < 0 || (size == 0 && error == Z_BUF_ERROR)) {
    return absl::DataLossError(
        absl::StrFormat("cannot read on in %s after line %d: %s", path_, line_number_, message));
  }
  at_end_ = size == 0;
  return absl::OkStatus();
}

uint64_t LineSource::read_bytes() const { return static_cast<uint64_t>(gzoffset(file_.get())); }

}  // namespace lockstep::importer
