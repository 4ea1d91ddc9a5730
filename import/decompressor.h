// Decompressor: the plain bytes of a file that may be compressed, piece by piece. Not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

class Decompressor {
 public:
  // By a file's first bytes: gzip, zstd, or none for every other.
  static std::unique_ptr<Decompressor> For(std::string_view first_bytes);
  virtual ~Decompressor() = default;

  // Takes from the front of `in` and writes to the front of `out`; returns how many bytes it wrote.
  // Zero with `in` used up: it needs more.
  virtual absl::StatusOr<size_t> Decompress(std::string_view& in, std::span<char> out) = 0;
  // Whether the file may end here.
  virtual bool is_whole() const = 0;
};

}  // namespace lockstep::importer
