// One format of log: reads its lines one by one. For one thread; keeps what one line says about the next.
#pragma once

#include <string>
#include <string_view>

#include "ingest/logs/record_writer.h"

namespace lockstep::logs {

enum class LineFate : uint8_t {
  kTaken,
  kIgnored,   // not a line of this format: chatter
  kRejected,  // one of this format, but broken
};

struct LineVerdict {
  LineFate fate;
  std::string_view reason = {};  // of a rejection; static storage
};
inline constexpr LineVerdict kTaken = {LineFate::kTaken};
inline constexpr LineVerdict kIgnored = {LineFate::kIgnored};
constexpr LineVerdict Rejected(std::string_view reason) { return {LineFate::kRejected, reason}; }

class LogFormat {
 public:
  virtual ~LogFormat() = default;

  // Emits what `line` says, and what earlier lines said that waited for it.
  virtual LineVerdict Parse(const LogLine& line, RecordWriter& out) = 0;
  // What lines so far say about later ones: appended to `out`, to be read by a format that has seen no line. False, or
  // malformed, if that cannot be. On disk: docs/formats/kept.md.
  [[nodiscard]] virtual bool AppendState(std::string& /*out*/) const { return true; }
  [[nodiscard]] virtual bool LoadState(std::string_view& /*in*/, RecordWriter& /*out*/) {
    return true;
  }
  // Of memory that grows with what lines bring; 0 of most, which is little.
  virtual size_t held_bytes() const { return 0; }
  // No line follows.
  virtual void Finish(RecordWriter& out) { static_cast<void>(out); }
};

}  // namespace lockstep::logs
