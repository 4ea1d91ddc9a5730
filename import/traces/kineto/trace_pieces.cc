#include "import/traces/kineto/trace_pieces.h"

#include <algorithm>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Relevant member names have about ten bytes.
constexpr size_t kMaxMemberNameBytes = 256;

constexpr std::string_view kDamagedMember = "damaged member of the document";

// Whether a byte may matter for the end of a value.
constexpr bool IsMark(char c) {
  return c == '"' || c == '{' || c == '}' || c == '[' || c == ']' || c == ',';
}
constexpr bool IsTextMark(char c) { return c == '"' || c == '\\' || c == '\n'; }

struct Marks {
  bool value[256] = {};
  bool text[256] = {};
  constexpr Marks() {
    for (int c = 0; c < 256; ++c) {
      value[c] = IsMark(static_cast<char>(c));
      text[c] = IsTextMark(static_cast<char>(c));
    }
  }
};
constexpr Marks kMarks;

}  // namespace

void TracePieces::Append(std::string_view bytes) {
  // Bytes before the current piece are no longer needed.
  const bool has_piece = state_ == State::kName || state_ == State::kEvent ||
                         (state_ == State::kValue && !is_too_long_);
  const size_t used = has_piece ? start_ : at_;
  buffer_.erase(0, used);
  buffer_offset_ += used;
  at_ -= used;
  start_ = 0;
  if (state_ == State::kEnd || state_ == State::kNoTrace) {
    buffer_offset_ += bytes.size();
    return;
  }
  buffer_ += bytes;
}

std::optional<TracePiece> TracePieces::Next() {
  std::optional<TracePiece> piece;
  while (!piece.has_value() && Step(piece)) {
  }
  return piece;
}

void TracePieces::Finish() {
  switch (state_) {
    case State::kEnd:
    case State::kNoTrace:
      return;
    case State::kStart:
      return problems_.Count("empty file", 0);
    case State::kEvent:
      return problems_.Count("torn last event", buffer_offset_ + start_);
    default:
      return problems_.Count("file ends before the trace does", buffer_offset_ + at_);
  }
}

bool TracePieces::Step(std::optional<TracePiece>& piece) {
  switch (state_) {
    case State::kStart:
      return Start();
    case State::kBetweenMembers:
      return BetweenMembers();
    case State::kName:
      return Name();
    case State::kColon:
      return Colon();
    case State::kBeforeValue:
      return BeforeValue();
    case State::kValue:
      return Value(piece);
    case State::kBetweenEvents:
      return BetweenEvents();
    case State::kEvent:
      return Event(piece);
    case State::kDamaged:
      return FindEvent();
    case State::kEnd:
    case State::kNoTrace:
      return false;
  }
  return false;
}

std::optional<char> TracePieces::NextMark() {
  while (at_ < buffer_.size() && IsSpace(buffer_[at_])) ++at_;
  if (at_ == buffer_.size()) return std::nullopt;
  return buffer_[at_];
}

void TracePieces::BeginPiece(State state) {
  state_ = state;
  start_ = at_;
  depth_ = 0;
  is_in_text_ = false;
  is_escaped_ = false;
  is_too_long_ = false;
}

TracePiece TracePieces::PieceUpToHere(std::string_view member) const {
  return {member, std::string_view(buffer_).substr(start_, at_ - start_), buffer_offset_ + start_};
}

void TracePieces::Damage(std::string_view reason, size_t place) {
  problems_.Count(reason, buffer_offset_ + place);
  state_ = State::kDamaged;
  is_line_begin_ = false;
}

bool TracePieces::Start() {
  const auto mark = NextMark();
  if (!mark.has_value()) return false;
  if (*mark == '{') {
    state_ = State::kBetweenMembers;
  } else if (*mark == '[') {
    is_array_ = true;
    state_ = State::kBetweenEvents;
  } else {
    problems_.Count("no JSON object or array", buffer_offset_ + at_);
    state_ = State::kNoTrace;
  }
  ++at_;
  return true;
}

bool TracePieces::BetweenMembers() {
  const auto mark = NextMark();
  if (!mark.has_value()) return false;
  if (*mark == '"') {
    BeginPiece(State::kName);
    is_in_text_ = true;
  } else if (*mark == '}') {
    state_ = State::kEnd;
  } else if (*mark != ',') {
    Damage(kDamagedMember, at_);
    return true;
  }
  ++at_;
  return true;
}

bool TracePieces::Name() {
  const Scan scan = ScanText(ScanEnd(kMaxMemberNameBytes));
  if (scan == Scan::kBroken || at_ - start_ > kMaxMemberNameBytes) {
    Damage(kDamagedMember, start_);
    return true;
  }
  if (scan == Scan::kNeedMore) return false;
  member_ = buffer_.substr(start_ + 1, at_ - start_ - 2);
  state_ = State::kColon;
  return true;
}

bool TracePieces::Colon() {
  const auto mark = NextMark();
  if (!mark.has_value()) return false;
  if (*mark != ':') {
    Damage(kDamagedMember, at_);
    return true;
  }
  ++at_;
  state_ = State::kBeforeValue;
  return true;
}

bool TracePieces::BeforeValue() {
  const auto mark = NextMark();
  if (!mark.has_value()) return false;
  if (*mark == '[' && member_ == "traceEvents") {
    ++at_;
    state_ = State::kBetweenEvents;
  } else {
    BeginPiece(State::kValue);
  }
  return true;
}

bool TracePieces::Value(std::optional<TracePiece>& piece) {
  const Scan scan = ScanValue(is_too_long_ ? buffer_.size() : ScanEnd(kMaxTraceMemberBytes));
  if (scan == Scan::kBroken) {
    // The begin of an overlong member has already been reported and is no longer known.
    Damage(kDamagedMember, is_too_long_ ? at_ : start_);
    return true;
  }
  if (!is_too_long_ && at_ - start_ > kMaxTraceMemberBytes) {
    problems_.Count("member of the document too long", buffer_offset_ + start_);
    is_too_long_ = true;
    if (scan == Scan::kNeedMore) return true;
  }
  if (scan == Scan::kNeedMore) return false;
  if (!is_too_long_) piece = PieceUpToHere(member_);
  state_ = State::kBetweenMembers;
  return true;
}

bool TracePieces::BetweenEvents() {
  const auto mark = NextMark();
  if (!mark.has_value()) return false;
  if (*mark == '{') {
    BeginPiece(State::kEvent);
    return true;
  }
  if (*mark == ']') {
    state_ = is_array_ ? State::kEnd : State::kBetweenMembers;
  } else if (*mark != ',') {
    Damage("damage between events", at_);
    return true;
  }
  ++at_;
  return true;
}

bool TracePieces::Event(std::optional<TracePiece>& piece) {
  const Scan scan = ScanValue(ScanEnd(kMaxTraceEventBytes));
  if (scan == Scan::kBroken) {
    Damage("damaged event", start_);
  } else if (at_ - start_ > kMaxTraceEventBytes) {
    Damage("event too long", start_);
  } else if (scan == Scan::kNeedMore) {
    return false;
  } else {
    piece = PieceUpToHere("");
    state_ = State::kBetweenEvents;
  }
  return true;
}

bool TracePieces::FindEvent() {
  for (; at_ < buffer_.size(); ++at_) {
    const char c = buffer_[at_];
    if (c == '{' && is_line_begin_) {
      BeginPiece(State::kEvent);
      return true;
    }
    is_line_begin_ = c == '\n' || (is_line_begin_ && IsSpace(c));
  }
  return false;
}

size_t TracePieces::ScanEnd(size_t max_bytes) const {
  return std::min(buffer_.size(), start_ + max_bytes + 1);
}

TracePieces::Scan TracePieces::ScanText(size_t end) {
  for (; at_ < end; ++at_) {
    if (is_escaped_) {
      is_escaped_ = false;
      continue;
    }
    while (at_ < end && !kMarks.text[static_cast<unsigned char>(buffer_[at_])]) ++at_;
    if (at_ == end) break;
    if (buffer_[at_] == '\n') return Scan::kBroken;
    if (buffer_[at_] == '"') {
      ++at_;
      is_in_text_ = false;
      return Scan::kFound;
    }
    is_escaped_ = true;
  }
  return Scan::kNeedMore;
}

// Objects and arrays end with their last bracket, strings with their quote, numbers and words where
// the next member or the end of the document begins.
TracePieces::Scan TracePieces::ScanValue(size_t end) {
  while (at_ < end) {
    if (is_in_text_) {
      const Scan scan = ScanText(end);
      if (scan != Scan::kFound || depth_ == 0) return scan;
      continue;
    }
    while (at_ < end && !kMarks.value[static_cast<unsigned char>(buffer_[at_])]) ++at_;
    if (at_ == end) break;
    const char mark = buffer_[at_];
    const bool is_closing = mark == '}' || mark == ']';
    if (depth_ == 0 && (is_closing || mark == ',')) return Scan::kFound;
    ++at_;
    if (mark == '"') is_in_text_ = true;
    if (mark == '{' || mark == '[') ++depth_;
    if (is_closing && --depth_ == 0) return Scan::kFound;
  }
  return Scan::kNeedMore;
}

}  // namespace lockstep::traces
