// Decompressor: decompresses a file piece by piece. Not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

class Decompressor {
 public:
  // Selected by a file's first bytes: gzip, zstd, or no compression for all others.
  static std::unique_ptr<Decompressor> For(std::string_view first_bytes);
  virtual ~Decompressor() = default;

  // Consumes from the front of `in`, writes to the front of `out`, and returns the number of bytes
  // written. Zero with `in` consumed means that it needs more input.
  virtual absl::StatusOr<size_t> Decompress(std::string_view& in, std::span<char> out) = 0;
  // Whether the file may end here.
  virtual bool is_whole() const = 0;
};

}  // namespace lockstep::importer
