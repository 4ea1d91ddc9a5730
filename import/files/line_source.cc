#include "import/files/line_source.h"

#include "absl/strings/str_format.h"

namespace lockstep::importer {

absl::StatusOr<bool> LineSource::Next(std::string_view& line) {
  size_t searched = begin_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++line_number_;
      return true;
    }
    if (buffer_.size() - begin_ > kMaxLineBytes) {
      return absl::InvalidArgumentError(
          absl::StrFormat("line %d is longer than %d bytes", line_number_ + 1, kMaxLineBytes));
    }
    if (at_end_) break;
    searched = buffer_.size() - begin_;
    LOCKSTEP_RETURN_IF_ERROR(Fill());
  }
  if (begin_ == buffer_.size()) return false;
  line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  ++line_number_;
  return true;
}

// Moves the unread bytes to the front, so `begin_` becomes 0.
absl::Status LineSource::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const absl::StatusOr<std::string_view> piece = bytes_.Next();
  if (!piece.ok()) {
    return Annotate(piece.status(), absl::StrFormat("after line %d", line_number_));
  }
  buffer_.append(*piece);
  at_end_ = piece->empty();
  return absl::OkStatus();
}

}  // namespace lockstep::importer
