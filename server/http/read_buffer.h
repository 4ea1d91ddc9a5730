// ReadBuffer: received bytes that are not parsed yet. Not thread-safe.
//
// Readable bytes do not move while space from Prepare() is being filled, and that space remains
// valid while readable bytes are consumed.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace lockstep::server {

class ReadBuffer {
 public:
  std::string_view readable() const { return {bytes_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  // Returns space for at least `size` more bytes. Precondition: no earlier space is being filled.
  std::span<char> Prepare(size_t size) {
    const size_t kept = end_ - begin_;
    if (kept == 0) begin_ = end_ = 0;
    if (capacity_ - end_ < size) Move(kept, size);
    return {bytes_.get() + end_, size};
  }

  // Marks the first `size` bytes of the space as filled.
  void Commit(size_t size) { end_ += size; }
  void Consume(size_t size) { begin_ += size; }

  // Releases the memory if nothing is readable. Same precondition as Prepare().
  void Shrink() {
    if (empty()) *this = ReadBuffer();
  }

 private:
  void Move(size_t kept, size_t size) {
    size_t capacity = capacity_;
    if (capacity < kept + size) capacity = kept + size;
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (kept > 0) std::memcpy(bytes.get(), bytes_.get() + begin_, kept);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
    begin_ = 0;
    end_ = kept;
  }

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace lockstep::server
