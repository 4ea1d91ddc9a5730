// A stream's bytes, in slices, to its lines: the same lines, however it is sliced. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::logs {

struct RawLine {
  std::string_view text;  // without its end
  uint64_t offset;        // in the stream
  bool is_too_long;       // `text` is its beginning
  bool has_controls;      // carriage returns or escapes
};

// Lines stay where they are, with kBufferPadding readable bytes behind each, until Drop() or the next Append().
class LineBuffer {
 public:
  // `offset` is that of the first byte.
  explicit LineBuffer(uint64_t offset) : offset_(offset) {}

  // At most kReadBytes.
  void Append(std::string_view bytes);
  // The next whole line, or nothing.
  std::optional<RawLine> Next();
  // What stands behind the last line end. For the end of the stream.
  std::optional<RawLine> Rest();
  // Goes back to the first line that was not dropped.
  void Rewind();
  // Forgets the lines that Next() gave.
  void Drop() { begin_ = next_; }

  // What was not dropped, and its offset in the stream; nothing while a line that is too long is cut.
  struct Held {
    uint64_t offset;
    std::string_view bytes;
  };
  std::optional<Held> held() const;
  // Of memory.
  size_t capacity() const { return buffer_.capacity(); }
  // Bytes of the lines since the last Drop().
  size_t held_bytes() const { return next_ - begin_; }

 private:
  // Appends what belongs to a line that was cut: its end. Returns what is behind.
  std::string_view SkipCutLine(std::string_view bytes);
  void MakeRoom(size_t size);
  void CutLongLine();
  RawLine LineAt(size_t begin, size_t end) const;

  std::string buffer_;  // of which end_ bytes count
  size_t begin_ = 0;    // of what is not dropped
  size_t next_ = 0;     // of the line that Next() gives
  size_t scanned_ = 0;  // from next_ up to here there is no line end
  size_t end_ = 0;
  size_t controls_end_ = 0;  // no carriage return or escape from here on: most streams have none
  uint64_t offset_;          // of the buffer in the stream, up to the cut

  // A line over kMaxLineBytes keeps its first bytes, up to here; what follows it in the stream is left out.
  std::optional<size_t> cut_;
  uint64_t cut_bytes_ = 0;
  bool is_cutting_ = false;  // its end has not come
};

}  // namespace lockstep::logs
