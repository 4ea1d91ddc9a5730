#include "ingest/logs/line_buffer.h"

#include <algorithm>
#include <cstring>

#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

bool HasControls(std::string_view bytes) {
  return std::memchr(bytes.data(), '\r', bytes.size()) != nullptr ||
         std::memchr(bytes.data(), '\x1b', bytes.size()) != nullptr;
}

}  // namespace

void LineBuffer::Append(std::string_view bytes) {
  if (is_cutting_) bytes = SkipCutLine(bytes);
  MakeRoom(bytes.size());
  std::memcpy(buffer_.data() + end_, bytes.data(), bytes.size());
  end_ += bytes.size();
  if (HasControls(bytes)) controls_end_ = end_;
}

std::optional<RawLine> LineBuffer::Next() {
  const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
  if (found == nullptr) {
    scanned_ = end_;
    CutLongLine();
    return std::nullopt;
  }
  const auto end = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
  const RawLine line = LineAt(next_, end);
  next_ = end + 1;
  scanned_ = next_;
  return line;
}

std::optional<RawLine> LineBuffer::Rest() {
  if (next_ == end_) return std::nullopt;
  // Other lines are followed by their line end, but this one by bytes of dropped lines. Parsers
  // that look past a line must not find a brace or quote there.
  std::memset(buffer_.data() + end_, 0, kBufferPadding);
  const RawLine line = LineAt(next_, end_);
  next_ = end_;
  scanned_ = end_;
  is_cutting_ = false;
  return line;
}

void LineBuffer::Rewind() {
  next_ = begin_;
  scanned_ = begin_;
}

std::optional<LineBuffer::Held> LineBuffer::held() const {
  const bool is_behind_cut = cut_.has_value() && begin_ >= *cut_;
  if (is_cutting_ || (cut_.has_value() && !is_behind_cut)) return std::nullopt;
  return Held{offset_ + begin_ + (is_behind_cut ? cut_bytes_ : 0),
              std::string_view(buffer_).substr(begin_, end_ - begin_)};
}

inline RawLine LineBuffer::LineAt(size_t begin, size_t end) const {
  const bool is_behind_cut = cut_.has_value() && begin >= *cut_;
  const bool is_cut = cut_.has_value() && begin < *cut_ && end >= *cut_;
  // An overlong line may end before it is cut.
  const bool is_too_long = is_cut || end - begin > kMaxLineBytes;
  if (is_too_long) end = std::min(end, begin + kMaxKeptTextBytes);
  const std::string_view text(buffer_.data() + begin, end - begin);
  return {text, offset_ + begin + (is_behind_cut ? cut_bytes_ : 0), is_too_long,
          begin < controls_end_ && HasControls(text)};
}

std::string_view LineBuffer::SkipCutLine(std::string_view bytes) {
  const size_t end = std::min(bytes.find('\n'), bytes.size());
  cut_bytes_ += end;
  is_cutting_ = end == bytes.size();
  return bytes.substr(end);
}

void LineBuffer::MakeRoom(size_t size) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    offset_ += begin_;
    if (cut_.has_value() && begin_ >= *cut_) {
      offset_ += cut_bytes_;
      cut_.reset();
      cut_bytes_ = 0;
    } else if (cut_.has_value()) {
      cut_ = *cut_ - begin_;
    }
    next_ -= begin_;
    scanned_ -= begin_;
    end_ -= begin_;
    controls_end_ -= std::min(controls_end_, begin_);
    begin_ = 0;
  }
  const size_t needed = end_ + size + kBufferPadding;
  if (buffer_.size() < needed) buffer_.resize(std::max(needed, buffer_.size() * 2));
}

void LineBuffer::CutLongLine() {
  if (is_cutting_ || end_ - next_ <= kMaxLineBytes) return;
  cut_ = next_ + kMaxKeptTextBytes;
  cut_bytes_ = end_ - *cut_;
  end_ = *cut_;
  scanned_ = end_;
  is_cutting_ = true;
}

}  // namespace lockstep::logs
