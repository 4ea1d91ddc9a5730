// Cuts a Chrome trace into pieces: its events one by one, and the document's other members.
//
//   {"schemaVersion": 1, "distributedInfo": {...}, "traceEvents": [ {...}, {...}, ... ], "traceName": "..."}
//    `- member --------´ `- member ------------´                    `event´ `event´        `- member --------´
//
// A document that is an array is one of events alone. Traces have gigabytes, so that no more than one piece is held.
// Events and members are found by their braces and strings; whether they are JSON inside is for their reader to say.
//
// Damage costs little where events stand on lines of their own, as PyTorch writes them: behind an event that is
// too long, or has a line end inside a text, the next line that begins with a brace is taken for an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/traces/trace_problems.h"

namespace lockstep::traces {

// Views live until the next call.
struct TracePiece {
  std::string_view member;  // its name as written, escapes and all; "" for an event
  std::string_view json;
  uint64_t offset = 0;
};

// Takes a trace piece by piece. For one thread.
class TracePieces {
 public:
  // `problems` outlives it.
  explicit TracePieces(TraceProblems& problems) : problems_(problems) {}

  // The next bytes of the file. Call Next() until it has no more before the next Append().
  void Append(std::string_view bytes);
  std::optional<TracePiece> Next();
  // The file ends here: counts what is not whole.
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

  // One step of the state; whether there was enough to take it.
  bool Step(std::optional<TracePiece>& piece);
  // The next byte that is no white space, if there is one; at_ is there then.
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
  // Goes on in the text or value at start_, to its end or to `end` in buffer_.
  Scan ScanText(size_t end);
  Scan ScanValue(size_t end);
  // Up to where a piece of at most `max_bytes` is scanned: what there is of it, and one byte too
  // much. How far that is in a piece that is too long must not depend on what was appended.
  size_t ScanEnd(size_t max_bytes) const;
  void BeginPiece(State state);
  void Damage(std::string_view reason, size_t place);  // in buffer_
  TracePiece PieceUpToHere(std::string_view member) const;

  TraceProblems& problems_;
  std::string buffer_;
  uint64_t buffer_offset_ = 0;  // of buffer_'s first byte in the file
  size_t at_ = 0;               // the next byte to look at
  size_t start_ = 0;            // of the piece that has begun
  State state_ = State::kStart;
  bool is_array_ = false;  // the document
  // Within the piece:
  size_t depth_ = 0;
  bool is_in_text_ = false;
  bool is_escaped_ = false;
  bool is_too_long_ = false;  // a member, whose bytes are let go
  // While damaged: whether there was nothing but white space since the line began.
  bool is_line_begin_ = false;
  std::string member_;
};

}  // namespace lockstep::traces
