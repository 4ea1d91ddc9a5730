// OpenFile: a file open for reading at any offset, even if it is renamed. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace lockstep::tail {

class OpenFile {
 public:
  static absl::StatusOr<OpenFile> Open(const std::string& path);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  struct About {
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size = 0;
    int64_t modified_ms = 0;
    bool is_regular = false;
    bool is_deleted = false;  // it no longer has a name
  };
  absl::StatusOr<About> Look() const;
  // Reads up to `size` bytes from `offset`.
  absl::Status Read(uint64_t offset, size_t size, std::string& bytes) const;

 private:
  explicit OpenFile(int file) : file_(file) {}

  int file_;
};

}  // namespace lockstep::tail
