// LineSource: the lines of a file, read as a stream. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/byte_source.h"

namespace lockstep::importer {

class LineSource {
 public:
  // `bytes` outlives it, and is read by it alone.
  explicit LineSource(ByteSource& bytes) : bytes_(bytes) {}

  // False at the end. `line` is without its line end and lives until the next call. Fails on a file
  // that cannot be read on, and on a line longer than kMaxLineBytes.
  absl::StatusOr<bool> Next(std::string_view& line);

  uint64_t line_number() const { return line_number_; }  // of the last line, from 1

  static constexpr size_t kMaxLineBytes = 1 << 20;

 private:
  absl::Status Fill();

  ByteSource& bytes_;
  uint64_t line_number_ = 0;
  std::string buffer_;
  size_t begin_ = 0;
  bool at_end_ = false;
};

}  // namespace lockstep::importer
