// ByteSource: streams the decompressed bytes of a file. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/files/decompressor.h"

namespace lockstep::importer {

class ByteSource {
 public:
  // "-" is standard input.
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(const std::string& path);

  // The first kHeadBytes, or the whole file if it is shorter. Precondition: before the first
  // Next().
  absl::StatusOr<std::string_view> Head();
  // The next bytes, starting from the first; empty at the end. Valid until the next call. Fails if
  // the file cannot be read or is a truncated compressed file.
  absl::StatusOr<std::string_view> Next();

  const std::string& path() const { return path_; }
  // For progress: bytes of the file on disk. The size is 0 if unknown.
  uint64_t read_bytes() const { return read_bytes_; }
  uint64_t file_bytes() const { return file_bytes_; }
  // The time of the last modification in Unix nanoseconds; for standard input, the time it was
  // opened.
  int64_t modified_ns() const { return modified_ns_; }
  int64_t modified_ms() const { return modified_ns_ / 1'000'000; }

  static constexpr size_t kHeadBytes = 256 << 10;
  static constexpr size_t kPieceBytes = 1 << 20;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  ByteSource(std::FILE* file, std::string path);

  absl::Status Fill();
  absl::StatusOr<size_t> Read(char* out, size_t size);

  const std::unique_ptr<std::FILE, Close> file_;
  const std::string path_;
  uint64_t file_bytes_ = 0;
  int64_t modified_ns_ = 0;
  uint64_t read_bytes_ = 0;
  std::unique_ptr<Decompressor> decompressor_;
  std::string raw_;             // as on disk
  std::string_view undecoded_;  // of `raw_`
  bool is_raw_at_end_ = false;
  std::string head_;
  bool has_head_ = false;  // not yet returned by Next()
  std::string piece_;
};

}  // namespace lockstep::importer
