#include "ingest/exposition/text_entry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/exposition/malformed.h"
#include "ingest/exposition/text_number.h"
#include "ingest/side_data/metric_type.h"

namespace lockstep::exposition {
namespace {

// Reads entries from the front of the remaining text.
class EntryReader {
 public:
  EntryReader(std::string_view text, TextFormat format) : rest_(text), format_(format) {}

  absl::StatusOr<TextEntry> Read() {
    SkipBlanks();
    TextEntry entry;
    if (rest_.starts_with('#')) {
      LOCKSTEP_RETURN_IF_ERROR(ReadComment(entry));
    } else if (!AtLineEnd()) {
      LOCKSTEP_RETURN_IF_ERROR(ReadSample(entry));
    } else if (IsOpenMetrics()) {
      return Malformed("an empty line");
    }
    if (!AtLineEnd()) return Malformed(absl::StrFormat("\"%s\" follows", Shown(rest_)));
    if (!rest_.empty()) rest_.remove_prefix(1);
    return entry;
  }

  std::string_view rest() const { return rest_; }

 private:
  bool IsOpenMetrics() const { return format_ == TextFormat::kOpenMetrics; }
  bool AtLineEnd() const { return rest_.empty() || rest_.front() == '\n'; }

  void SkipBlanks() {
    if (IsOpenMetrics()) return;
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }
  // Takes the blanks between two words.
  bool TakeBlank() {
    if (IsOpenMetrics()) {
      if (!rest_.starts_with(' ')) return false;
      rest_.remove_prefix(1);
      return true;
    }
    const size_t before = rest_.size();
    SkipBlanks();
    return rest_.size() != before;
  }
  std::string_view Take(size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view TakeWord() {
    return Take(std::min(rest_.find_first_of(IsOpenMetrics() ? " \n" : " \t\n"), rest_.size()));
  }
  std::string_view TakeLine() { return Take(std::min(rest_.find('\n'), rest_.size())); }

  absl::Status ReadComment(TextEntry& entry) {
    rest_.remove_prefix(1);
    const bool has_blank = TakeBlank();
    const EntryKind kind = has_blank ? TakeKeyword() : EntryKind::kNothing;
    entry.kind = kind;
    if (kind == EntryKind::kEof) return absl::OkStatus();
    if (kind != EntryKind::kNothing) return ReadMetadata(entry);
    if (IsOpenMetrics()) return Malformed("a comment other than HELP, TYPE, UNIT and EOF");
    TakeLine();
    return absl::OkStatus();
  }

  // Takes the blank after it, too.
  EntryKind TakeKeyword() {
    const std::string_view all = rest_;
    const std::string_view word = TakeWord();
    if (word == "EOF" && IsOpenMetrics() && AtLineEnd()) return EntryKind::kEof;
    if (TakeBlank()) {
      if (word == "TYPE") return EntryKind::kType;
      if (word == "HELP") return EntryKind::kHelp;
      if (word == "UNIT" && IsOpenMetrics()) return EntryKind::kUnit;
    }
    rest_ = all;
    return EntryKind::kNothing;
  }

  absl::Status ReadMetadata(TextEntry& entry) {
    if (rest_.starts_with('"')) {
      const size_t length = QuotedLength(rest_);
      if (length == std::string_view::npos)
        return Malformed("the quote of a metric name is not closed");
      entry.metric = Take(length).substr(1, length - 2);
    } else {
      entry.metric = Take(NameLength(rest_));
    }
    if (entry.metric.empty()) {
      return Malformed(absl::StrFormat("\"%s\" is not a metric name", Shown(rest_)));
    }
    const bool has_blank = rest_.starts_with(' ') || (rest_.starts_with('\t') && !IsOpenMetrics());
    if (!has_blank && (IsOpenMetrics() || !AtLineEnd())) return NoTextFollows(entry);
    entry.text = TakeLine();
    if (has_blank) entry.text.remove_prefix(1);
    return CheckMetadata(entry);
  }

  // Prometheus treats HELP for an unquoted UTF-8 name as a comment.
  absl::Status NoTextFollows(TextEntry& entry) {
    if (entry.kind != EntryKind::kHelp || IsOpenMetrics()) {
      return Malformed(absl::StrFormat("\"%s\" follows the metric name", Shown(rest_)));
    }
    entry = TextEntry();
    TakeLine();
    return absl::OkStatus();
  }

  absl::Status CheckMetadata(TextEntry& entry) const {
    switch (entry.kind) {
      case EntryKind::kType:
        return CheckType(entry);
      case EntryKind::kUnit:
        return CheckUnit(entry);
      default:
        if (!IsValidUtf8(entry.text)) return Malformed("the help text is not valid UTF-8");
        return absl::OkStatus();
    }
  }

  absl::Status CheckType(TextEntry& entry) const {
    constexpr std::string_view kOfPrometheus[] = {"counter", "gauge", "histogram", "summary",
                                                  "untyped"};
    const bool known = IsOpenMetrics()
                           ? std::find(kMetricTypeNames.begin(), kMetricTypeNames.end(),
                                       entry.text) != kMetricTypeNames.end()
                           : std::find(std::begin(kOfPrometheus), std::end(kOfPrometheus),
                                       entry.text) != std::end(kOfPrometheus);
    if (!known) return Malformed(absl::StrFormat("\"%s\" is not a metric type", Shown(entry.text)));
    if (entry.text == "untyped") entry.text = MetricTypeName(0);
    return absl::OkStatus();
  }

  static absl::Status CheckUnit(const TextEntry& entry) {
    const bool fits =
        entry.text.empty() ||
        (entry.metric.size() > entry.text.size() && entry.metric.ends_with(entry.text) &&
         entry.metric[entry.metric.size() - entry.text.size() - 1] == '_');
    if (fits) return absl::OkStatus();
    return Malformed(absl::StrFormat("the metric name \"%s\" does not end with its unit \"%s\"",
                                     Shown(entry.metric), Shown(entry.text)));
  }

  absl::Status ReadSample(TextEntry& entry) {
    entry.kind = EntryKind::kSample;
    LOCKSTEP_RETURN_IF_ERROR(TakeSeries(entry));
    const bool has_blank = TakeBlank();
    if (AtLineEnd()) return Malformed("the value is missing");
    if (!has_blank && IsOpenMetrics()) return Malformed("there is no space before the value");
    LOCKSTEP_ASSIGN_OR_RETURN(entry.value, ParseValue(TakeWord()));
    if (!TakeBlank() || (AtLineEnd() && !IsOpenMetrics())) return absl::OkStatus();
    if (!rest_.starts_with('#')) {
      LOCKSTEP_RETURN_IF_ERROR(TakeTime(entry));
      if (!TakeBlank() || !IsOpenMetrics()) return absl::OkStatus();
    }
    return TakeExemplar(entry);
  }

  absl::Status TakeSeries(TextEntry& entry) {
    size_t end = NameLength(rest_);
    size_t brace = end;
    while (!IsOpenMetrics() && brace < rest_.size() &&
           (rest_[brace] == ' ' || rest_[brace] == '\t')) {
      ++brace;
    }
    if (brace < rest_.size() && rest_[brace] == '{') {
      const size_t length = BracesLength(rest_.substr(brace));
      if (length == std::string_view::npos) return Malformed("the labels are not closed");
      end = brace + length;
    }
    if (end == 0)
      return Malformed(absl::StrFormat("\"%s\" is not a metric name", Shown(TakeWord())));
    entry.series = Take(end);
    return absl::OkStatus();
  }

  absl::Status TakeTime(TextEntry& entry) {
    const std::string_view word = TakeWord();
    LOCKSTEP_ASSIGN_OR_RETURN(entry.timestamp_ms,
                              IsOpenMetrics() ? ParseSeconds(word) : ParseMilliseconds(word));
    return absl::OkStatus();
  }

  // "# {...} value", only in OpenMetrics.
  absl::Status TakeExemplar(TextEntry& entry) {
    if (!IsOpenMetrics() || !rest_.starts_with("# {")) {
      return Malformed(absl::StrFormat("\"%s\" follows", Shown(rest_)));
    }
    rest_.remove_prefix(2);
    entry.exemplar = TakeLine();
    return absl::OkStatus();
  }

  std::string_view rest_;
  const TextFormat format_;
};

}  // namespace

absl::StatusOr<TextEntry> TakeEntry(std::string_view& rest, TextFormat format) {
  // In OpenMetrics, quoted text ends within its line.
  const std::string_view text =
      format == TextFormat::kOpenMetrics ? rest.substr(0, rest.find('\n')) : rest;
  EntryReader reader(text, format);
  absl::StatusOr<TextEntry> entry = reader.Read();
  if (!entry.ok()) return entry;
  rest.remove_prefix(text.size() - reader.rest().size());
  if (format == TextFormat::kOpenMetrics && !rest.empty()) rest.remove_prefix(1);
  return entry;
}

absl::StatusOr<ExemplarText> ParseExemplar(std::string_view exemplar, SeriesLabels& labels) {
  const size_t length = BracesLength(exemplar);
  if (length == std::string_view::npos)
    return Malformed("the labels of the exemplar are not closed");
  LOCKSTEP_RETURN_IF_ERROR(ParseExemplarLabels(exemplar.substr(0, length), labels));
  std::string_view rest = exemplar.substr(length);
  if (!rest.starts_with(' ')) return Malformed("the value of the exemplar is missing");
  rest.remove_prefix(1);
  const size_t space = std::min(rest.find(' '), rest.size());
  ExemplarText parsed;
  LOCKSTEP_ASSIGN_OR_RETURN(parsed.value, ParseValue(rest.substr(0, space)));
  if (space < rest.size()) {
    LOCKSTEP_ASSIGN_OR_RETURN(parsed.timestamp_ms, ParseSeconds(rest.substr(space + 1)));
  }
  return parsed;
}

}  // namespace lockstep::exposition
