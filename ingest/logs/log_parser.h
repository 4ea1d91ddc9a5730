// LogParser: converts a training log, in arbitrary slices, to records.
//
// Use one parser per stream: it keeps all state that later lines need, so slicing does not matter.
// The format comes from the hints or is detected from the first lines, which wait for it; launcher
// prefixes, terminal sequences and progress bars are stripped. A line is parsed, ignored, or
// rejected as malformed, and never ends the stream. For one thread. Memory is bounded: see
// log_limits.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ingest/logs/line_buffer.h"
#include "ingest/logs/log_formats.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/logs/record/log_record.h"
#include "ingest/logs/record/record_writer.h"

namespace lockstep::logs {

struct RejectedLine {
  uint64_t number;  // 1-based
  uint64_t offset;
  std::string_view reason;  // static storage
  std::string text;         // clipped
};

struct LogCounts {
  uint64_t bytes = 0;
  uint64_t lines = 0;     // including an unterminated last line
  uint64_t ignored = 0;   // lines, and parts between carriage returns
  uint64_t rejected = 0;  // likewise
  RecordCounts records;
};

class LogParser {
 public:
  // `sink` is borrowed and must outlive the parser. Fails if the hints name an unknown format.
  static absl::StatusOr<std::unique_ptr<LogParser>> New(LogHints hints, LogSink& sink);
  LogParser(const LogParser&) = delete;
  LogParser& operator=(const LogParser&) = delete;

  // Parses the stream's next bytes. Records of complete lines reach the sink before this returns,
  // except those that wait for the format or the next line.
  void Feed(std::string_view bytes);
  // Appends the state that later lines need, for a new parser with the same hints. False if that is
  // not possible now: inside a document or an overlong line. On disk: docs/formats/kept.md.
  [[nodiscard]] bool AppendState(std::string& out) const;
  // False if malformed; then the parser is unusable.
  [[nodiscard]] bool LoadState(std::string_view in);

  // Ends the stream: parses an unterminated last line.
  void Finish();

  // The memory used: about 100 KB plus unparsed input.
  size_t held_bytes() const;

  // "" while unknown.
  std::string_view format_name() const;
  LogCounts counts() const;
  // Rejections since the last call, at most kMaxKeptRejections.
  std::vector<RejectedLine> TakeRejections() { return std::move(rejections_); }

 private:
  LogParser(LogHints hints, LogSink& sink);

  void FindFormat();
  bool ShowsFormat(std::string_view line);
  void Use(const LogFormatKind& kind);
  void ParseLines();
  void ParseLine(const RawLine& line);
  void ParsePart(LogLine& line);
  void TakePrefixes(LogLine& line) const;
  // Switches the format if `line` reveals another one.
  void ReviewFormat(std::string_view line);
  void TakeOther(const LogLine& line, const LineVerdict& verdict);
  bool TakeEvent(const LogLine& line);
  void Reject(const LogLine& line, std::string_view reason);

  // Calls visit(text, follows_return) for each part of `line` between carriage returns, without
  // terminal sequences.
  template <typename Visit>
  void ForEachPart(const RawLine& line, const Visit& visit);

  const LogHints hints_;
  RecordWriter out_;
  LineBuffer buffer_;
  const LogFormatKind* kind_ = nullptr;
  std::unique_ptr<LogFormat> format_;
  bool is_sniffing_ = true;     // lines wait for their format
  bool may_change_ = true;      // the format is unknown, or may appear inside other logs
  bool has_seen_line_ = false;  // a non-empty one
  size_t sniffed_lines_ = 0;
  LogCounts counts_;
  std::vector<RejectedLine> rejections_;
  std::string clean_;  // reused
};

}  // namespace lockstep::logs
