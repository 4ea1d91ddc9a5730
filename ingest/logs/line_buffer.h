// Splits a stream into lines, independent of how it is sliced. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::logs {

struct RawLine {
  std::string_view text;  // without the line end
  uint64_t offset;        // in the stream
  bool is_too_long;       // `text` is only its beginning
  bool has_controls;      // has carriage returns or escapes
};

// Lines stay valid, with kBufferPadding readable bytes after each, until Drop() or the next
// Append().
class LineBuffer {
 public:
  // `offset` is the offset of the first byte.
  explicit LineBuffer(uint64_t offset) : offset_(offset) {}

  // At most kReadBytes.
  void Append(std::string_view bytes);
  // The next whole line, or nothing.
  std::optional<RawLine> Next();
  // The unterminated last line. Call at the end of the stream.
  std::optional<RawLine> Rest();
  // Goes back to the first line not dropped.
  void Rewind();
  // Drops the lines that Next() returned.
  void Drop() { begin_ = next_; }

  // The bytes not dropped, and their offset in the stream; nothing while an overlong line is being
  // cut.
  struct Held {
    uint64_t offset;
    std::string_view bytes;
  };
  std::optional<Held> held() const;
  // The memory used.
  size_t capacity() const { return buffer_.capacity(); }
  // Bytes of the lines since the last Drop().
  size_t held_bytes() const { return next_ - begin_; }

 private:
  // Skips the rest of a cut line and appends its line end. Returns the remaining bytes.
  std::string_view SkipCutLine(std::string_view bytes);
  void MakeRoom(size_t size);
  void CutLongLine();
  RawLine LineAt(size_t begin, size_t end) const;

  std::string buffer_;  // the first end_ bytes are in use
  size_t begin_ = 0;    // start of the bytes not dropped
  size_t next_ = 0;     // start of the line that Next() returns
  size_t scanned_ = 0;  // no line end between next_ and here
  size_t end_ = 0;
  size_t controls_end_ = 0;  // no carriage return or escape from here on
  uint64_t offset_;          // of the buffer in the stream

  // The end of the kept beginning of a line over kMaxLineBytes; the rest of it is skipped.
  std::optional<size_t> cut_;
  uint64_t cut_bytes_ = 0;
  bool is_cutting_ = false;  // its line end has not arrived
};

}  // namespace lockstep::logs
