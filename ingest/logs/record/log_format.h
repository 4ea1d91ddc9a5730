// LogFormat: parses one log format line by line. For one thread; keeps the state that later lines
// need.
#pragma once

#include <string>
#include <string_view>

#include "ingest/logs/record/record_writer.h"

namespace lockstep::logs {

enum class LineFate : uint8_t {
  kTaken,
  kIgnored,   // not a line of this format
  kRejected,  // of this format, but malformed
};

struct LineVerdict {
  // No verdict without a fate: by default it would be "taken".
  constexpr explicit LineVerdict(LineFate its_fate, std::string_view why = {})
      : fate(its_fate), reason(why) {}

  LineFate fate;
  std::string_view reason;  // if rejected; static storage
};
inline constexpr LineVerdict kTaken(LineFate::kTaken);
inline constexpr LineVerdict kIgnored(LineFate::kIgnored);
constexpr LineVerdict Rejected(std::string_view reason) {
  return LineVerdict(LineFate::kRejected, reason);
}

class LogFormat {
 public:
  virtual ~LogFormat() = default;

  // Emits the records of `line`, and those of earlier lines that waited for it.
  virtual LineVerdict Parse(const LogLine& line, RecordWriter& out) = 0;
  // Appends the state that later lines need to `out`, for a format that has seen no line. False if
  // that is not possible now; LoadState() is false if malformed. On disk: docs/formats/kept.md.
  [[nodiscard]] virtual bool AppendState(std::string& /*out*/) const { return true; }
  [[nodiscard]] virtual bool LoadState(std::string_view& /*in*/, RecordWriter& /*out*/) {
    return true;
  }
  // The memory that grows with the input; 0 for most formats, which use little.
  virtual size_t held_bytes() const { return 0; }
  // Called after the last line.
  virtual void Finish(RecordWriter& out) { static_cast<void>(out); }
};

}  // namespace lockstep::logs
