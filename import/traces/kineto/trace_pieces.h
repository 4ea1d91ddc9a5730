// TracePieces: splits a Chrome trace into its events and the document's other members.
//
//   {"schemaVersion":1, "distributedInfo": {}, "traceEvents": [{...}, {...}, ...], "traceName": ""}
//    `- member ------´  `- member ----------´                  event  event        `- member ----´
//
// A document that is an array contains only events. Traces have gigabytes, so only one piece is
// buffered. Events and members are delimited by braces and strings; their reader checks that they
// are JSON.
//
// Damage costs little if events are on separate lines, as PyTorch writes them: after an event that
// is too long, or has a line end inside a string, the next line that begins with a brace counts as
// an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/traces/records/trace_problems.h"

namespace lockstep::traces {

// Views are valid until the next call.
struct TracePiece {
  std::string_view member;  // its name as written, including escapes; "" for an event
  std::string_view json;
  uint64_t offset = 0;
};

// Splits a trace piece by piece. For one thread.
class TracePieces {
 public:
  // `problems` must outlive this object.
  explicit TracePieces(TraceProblems& problems) : problems_(problems) {}

  // Adds the next bytes of the file. Call Next() until it returns nothing before the next Append().
  void Append(std::string_view bytes);
  std::optional<TracePiece> Next();
  // Call at the end of the file: counts what is incomplete.
  void Finish();

 private:
  enum class State : uint8_t {
    kStart,
    kBetweenMembers,
    kName,
    kColon,
    kBeforeValue,
    kValue,
    kBetweenEvents,
    kEvent,
    kDamaged,  // looking for the next event
    kEnd,
    kNoTrace,
  };
  enum class Scan : uint8_t { kNeedMore, kFound, kBroken };

  // Advances the state machine one step; returns whether there was enough input.
  bool Step(std::optional<TracePiece>& piece);
  // Moves at_ to the next byte that is not white space, and returns it if there is one.
  std::optional<char> NextMark();
  bool Start();
  bool BetweenMembers();
  bool Name();
  bool Colon();
  bool BeforeValue();
  bool Value(std::optional<TracePiece>& piece);
  bool BetweenEvents();
  bool Event(std::optional<TracePiece>& piece);
  bool FindEvent();
  // Continues in the string or value at start_, to its end or to `end` in buffer_.
  Scan ScanText(size_t end);
  Scan ScanValue(size_t end);
  // The end of scanning for a piece of at most `max_bytes`: the available bytes, at most one over
  // the limit. For an overlong piece it must not depend on how bytes were appended.
  size_t ScanEnd(size_t max_bytes) const;
  void BeginPiece(State state);
  void Damage(std::string_view reason, size_t place);  // in buffer_
  TracePiece PieceUpToHere(std::string_view member) const;

  TraceProblems& problems_;
  std::string buffer_;
  uint64_t buffer_offset_ = 0;  // of buffer_'s first byte in the file
  size_t at_ = 0;               // the next byte to examine
  size_t start_ = 0;            // of the current piece
  State state_ = State::kStart;
  bool is_array_ = false;  // whether the document is an array
  // Within the piece:
  size_t depth_ = 0;
  bool is_in_text_ = false;
  bool is_escaped_ = false;
  bool is_too_long_ = false;  // an overlong member, whose bytes are dropped
  // While damaged: whether there was only white space since the line began.
  bool is_line_begin_ = false;
  std::string member_;
};

}  // namespace lockstep::traces
