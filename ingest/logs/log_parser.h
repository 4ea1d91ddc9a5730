// LogParser: a training log as it is written, in arbitrary slices, to records.
//
// One parser to a stream, with all that earlier lines say about later ones: how the bytes are sliced does not
// matter. The format is that of the hints, or is found from the first lines, which wait for it; launchers'
// prefixes, terminal sequences and progress bars are taken off. A line is taken, or ignored for chatter, or
// rejected for broken, and never ends the stream. For one thread. Memory is bounded: see log_limits.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ingest/logs/line_buffer.h"
#include "ingest/logs/log_formats.h"
#include "ingest/logs/log_hints.h"
#include "ingest/logs/log_record.h"
#include "ingest/logs/record_writer.h"

namespace lockstep::logs {

struct RejectedLine {
  uint64_t number;  // the stream's first line is 1
  uint64_t offset;
  std::string_view reason;  // static storage
  std::string text;         // clipped
};

struct LogCounts {
  uint64_t bytes = 0;
  uint64_t lines = 0;     // with an end, or the last
  uint64_t ignored = 0;   // lines, and parts of lines between carriage returns
  uint64_t rejected = 0;  // likewise
  RecordCounts records;
};

class LogParser {
 public:
  // `sink` is borrowed and outlives the parser. Fails if no format has the hints' name.
  static absl::StatusOr<std::unique_ptr<LogParser>> New(LogHints hints, LogSink& sink);
  LogParser(const LogParser&) = delete;
  LogParser& operator=(const LogParser&) = delete;

  // The stream's next bytes. Records of whole lines reach the sink before this returns, but for those that
  // wait for the format or for the line behind them.
  void Feed(std::string_view bytes);
  // All that later lines need of those before, for a parser of the same hints that was fed nothing; false if that
  // cannot be told: in the midst of a document, or of a line that is too long. On disk: docs/formats/kept.md.
  [[nodiscard]] bool AppendState(std::string& out) const;
  // False if it is malformed; the parser is then of no use.
  [[nodiscard]] bool LoadState(std::string_view in);

  // Nothing follows: a last line without an end is one too.
  void Finish();

  // Of memory: some 100 KB, and what is not parsed yet.
  size_t held_bytes() const;

  // "" while it is not known.
  std::string_view format_name() const;
  LogCounts counts() const;
  // Those since the last call, kMaxKeptRejections at most.
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
  // Whether `line` is of another format than the one that is used so far.
  void ReviewFormat(std::string_view line);
  void TakeOther(const LogLine& line, const LineVerdict& verdict);
  bool TakeEvent(const LogLine& line);
  void Reject(const LogLine& line, std::string_view reason);

  // visit(text, follows_return) for each part of `line` between carriage returns, without terminal sequences.
  template <typename Visit>
  void ForEachPart(const RawLine& line, const Visit& visit);

  const LogHints hints_;
  RecordWriter out_;
  LineBuffer buffer_;
  const LogFormatKind* kind_ = nullptr;
  std::unique_ptr<LogFormat> format_;
  bool is_sniffing_ = true;     // lines wait for their format
  bool may_change_ = true;      // none is known, or one that stands in other logs, too
  bool has_seen_line_ = false;  // that is not empty
  size_t sniffed_lines_ = 0;
  LogCounts counts_;
  std::vector<RejectedLine> rejections_;
  std::string clean_;  // reused
};

}  // namespace lockstep::logs
