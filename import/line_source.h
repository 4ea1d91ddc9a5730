// LineSource: the lines of a file, plain or gzip-compressed, read as a stream. Not thread-safe.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::importer {

class LineSource {
 public:
  // "-" is standard input.
  static absl::StatusOr<std::unique_ptr<LineSource>> Open(const std::string& path);

  // False at the end. `line` is without its line end and lives until the next call. Fails on a file
  // that cannot be read on, and on a line longer than kMaxLineBytes.
  absl::StatusOr<bool> Next(std::string_view& line);

  uint64_t line_number() const { return line_number_; }  // of the last line, from 1
  // Of the file as it lies on disk, for progress; the size is 0 when it is not known.
  uint64_t read_bytes() const;
  uint64_t file_bytes() const { return file_bytes_; }

  static constexpr size_t kMaxLineBytes = 1 << 20;

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose_r(file); }
  };
  LineSource(gzFile file, std::string path, uint64_t file_bytes)
      : file_(file), path_(std::move(path)), file_bytes_(file_bytes) {}

  absl::Status Fill();

  const std::unique_ptr<gzFile_s, Close> file_;
  const std::string path_;
  const uint64_t file_bytes_;
  uint64_t line_number_ = 0;
  std::string buffer_;
  size_t begin_ = 0;
  bool at_end_ = false;
};

}  // namespace lockstep::importer
