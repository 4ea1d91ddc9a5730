// The timers that Megatron-LM prints below an iteration: of all ranks, the lowest and highest, or the highest.
#pragma once

#include <string>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

class MegatronTimers {
 public:
  MegatronTimers();

  // Takes lines of a section: its head, a timer's name, a rank's time.
  LineVerdict Parse(const LogLine& line, RecordWriter& out);
  // A line of another kind ends the section.
  void End() { section_ = Section::kNone; }

  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  enum class Section : uint8_t { kNone, kAllRanks, kLowestAndHighest, kHighest };

  LineVerdict ParseRank(const LogLine& line, std::string_view text, RecordWriter& out);
  LineVerdict ParseSummary(const LogLine& line, std::string_view text, RecordWriter& out);
  void Add(std::string_view timer, std::string_view aggregate, double value, RecordWriter& out);

  KeyCache keys_;
  Section section_ = Section::kNone;
  std::string timer_;    // whose ranks follow
  std::string written_;  // reused
};

}  // namespace lockstep::logs
