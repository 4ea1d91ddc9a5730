// LineSource: reads a file line by line. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/files/byte_source.h"

namespace lockstep::importer {

class LineSource {
 public:
  // `bytes` must outlive this object, its only reader.
  explicit LineSource(ByteSource& bytes) : bytes_(bytes) {}

  // False at the end. `line` excludes the line end and is valid until the next call. Fails if the
  // file cannot be read, or if a line is longer than kMaxLineBytes.
  absl::StatusOr<bool> Next(std::string_view& line);

  uint64_t line_number() const { return line_number_; }  // of the last line, 1-based

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
