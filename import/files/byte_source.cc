#include "import/files/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/clock.h"

namespace lockstep::importer {
namespace {

constexpr size_t kRawBytes = 256 << 10;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

int64_t Nanoseconds(const timespec& time) {
  return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path) {
  std::FILE* const file =
      path == "-" ? fdopen(dup(STDIN_FILENO), "rb") : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrFormat("cannot open it: %s", std::strerror(errno)));
  }
  return std::unique_ptr<ByteSource>(new ByteSource(file, path));
}

ByteSource::ByteSource(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {
  struct stat about {};
  if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
    file_bytes_ = static_cast<uint64_t>(about.st_size);
    modified_ns_ = Nanoseconds(about.st_mtim);
  } else {
    modified_ns_ = SystemTimeNs();
  }
}

absl::StatusOr<std::string_view> ByteSource::Head() {
  head_.resize(kHeadBytes);
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t size, Read(head_.data(), head_.size()));
  head_.resize(size);
  has_head_ = true;
  return head_;
}

absl::StatusOr<std::string_view> ByteSource::Next() {
  if (std::exchange(has_head_, false) && !head_.empty()) return head_;
  piece_.resize(kPieceBytes);
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t size, Read(piece_.data(), piece_.size()));
  return std::string_view(piece_).substr(0, size);
}

// Reads fewer than `size` bytes only at the end.
absl::StatusOr<size_t> ByteSource::Read(char* out, size_t size) {
  size_t done = 0;
  while (done < size) {
    if (undecoded_.empty() && !is_raw_at_end_) LOCKSTEP_RETURN_IF_ERROR(Fill());
    const auto written = decompressor_->Decompress(undecoded_, {out + done, size - done});
    if (!written.ok()) return Annotate(written.status(), "cannot continue reading");
    done += *written;
    if (*written > 0 || !undecoded_.empty() || !is_raw_at_end_) continue;
    if (decompressor_->is_whole()) break;
    return absl::DataLossError("the compressed file is truncated");
  }
  return done;
}

absl::Status ByteSource::Fill() {
  raw_.resize(kRawBytes);
  const size_t size = std::fread(raw_.data(), 1, raw_.size(), file_.get());
  if (size == 0 && std::ferror(file_.get()) != 0) {
    return absl::UnavailableError(
        absl::StrFormat("cannot continue reading: %s", std::strerror(errno)));
  }
  is_raw_at_end_ = size < raw_.size();
  read_bytes_ += size;
  undecoded_ = std::string_view(raw_).substr(0, size);
  if (decompressor_ == nullptr) decompressor_ = Decompressor::For(undecoded_);
  return absl::OkStatus();
}

}  // namespace lockstep::importer
