// MappedFile: a file's bytes in memory, read as they are looked at. The file must not shrink meanwhile.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

}  // namespace lockstep::importer
