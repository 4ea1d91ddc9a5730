#include "tests/training/gzip_text.h"

#include <zlib.h>

#include <array>

#include "base/check.h"
#include "tests/support/source_dir.h"

namespace lockstep::training {

std::string ReadGzip(std::string_view path) {
  const std::string full = SourcePath("tests/training/data/" + std::string(path));
  gzFile file = gzopen(full.c_str(), "rb");
  LOCKSTEP_CHECK(file != nullptr);
  std::string text;
  std::array<char, 65536> piece;
  int count = 0;
  while ((count = gzread(file, piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<size_t>(count));
  }
  LOCKSTEP_CHECK(count == 0);
  gzclose(file);
  return text;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace lockstep::training
