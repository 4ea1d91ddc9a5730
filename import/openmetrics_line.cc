#include "import/openmetrics_line.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

constexpr std::string_view kBlanks = " \t";
// Beyond this a time in milliseconds does not fit into 64 bits.
constexpr double kMaxSeconds = 9e15;

absl::Status Bad(std::string_view what) { return absl::InvalidArgumentError(std::string(what)); }

void SkipBlanks(std::string_view& text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
}

// Takes everything up to the next blank.
std::string_view TakeWord(std::string_view& text) {
  const size_t end = std::min(text.find_first_of(kBlanks), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  SkipBlanks(text);
  return word;
}

// The index after the closing quote of the string that begins at `at`, or npos.
size_t EndOfQuoted(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::string_view::npos;
}

// The index after the closing brace of the labels that begin at `at`, or npos.
size_t EndOfBraces(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size();) {
    if (text[i] == '}') return i + 1;
    if (text[i] == '"')
      i = EndOfQuoted(text, i);
    else
      ++i;
    if (i == std::string_view::npos) break;
  }
  return std::string_view::npos;
}

template <typename Number>
bool ParseWhole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseValue(std::string_view text, double& value) {
  std::string_view digits = text;
  const bool signed_plus = !digits.empty() && digits.front() == '+';
  if (signed_plus) digits.remove_prefix(1);
  if (digits.empty() || (signed_plus && digits.front() == '-')) return false;
  if (ParseWhole(digits, value)) return true;
  // Too large or too small for a double: what strtod makes of it, as everybody else does.
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range || end != digits.data() + digits.size()) return false;
  value = std::strtod(std::string(digits).c_str(), nullptr);
  return true;
}

bool ParseTime(std::string_view text, TextFormat format, int64_t& timestamp_ms) {
  if (format == TextFormat::kPrometheus) return ParseWhole(text, timestamp_ms);
  double seconds = 0;
  if (!ParseValue(text, seconds) || !(std::abs(seconds) < kMaxSeconds)) return false;
  timestamp_ms = std::llround(seconds * 1000);
  return true;
}

// "# TYPE name counter" and its like; other comments are nothing.
Line ParseComment(std::string_view text) {
  Line line;
  text.remove_prefix(1);
  if (text == " EOF") {
    line.kind = LineKind::kEof;
    return line;
  }
  SkipBlanks(text);
  const std::string_view keyword = TakeWord(text);
  LineKind kind = LineKind::kNothing;
  if (keyword == "TYPE") kind = LineKind::kType;
  if (keyword == "HELP") kind = LineKind::kHelp;
  if (keyword == "UNIT") kind = LineKind::kUnit;
  if (kind == LineKind::kNothing || text.empty()) return line;
  const size_t name_end = text.front() == '"' ? EndOfQuoted(text, 0)
                                              : std::min(text.find_first_of(kBlanks), text.size());
  if (name_end == std::string_view::npos) return line;
  line.kind = kind;
  line.metric = text.substr(0, name_end);
  if (line.metric.front() == '"') line.metric = line.metric.substr(1, line.metric.size() - 2);
  text.remove_prefix(name_end);
  SkipBlanks(text);
  line.text = text;
  return line;
}

absl::Status ParseAfterSeries(std::string_view rest, TextFormat format, Line& line) {
  SkipBlanks(rest);
  const std::string_view value = TakeWord(rest);
  if (value.empty()) return Bad("the value is missing");
  if (!ParseValue(value, line.value)) {
    return Bad(absl::StrFormat("\"%s\" is not a number", value));
  }
  if (!rest.empty() && rest.front() != '#') {
    const std::string_view time = TakeWord(rest);
    int64_t timestamp_ms = 0;
    if (!ParseTime(time, format, timestamp_ms)) {
      return Bad(absl::StrFormat("\"%s\" is not a time in %s", time,
                                 format == TextFormat::kOpenMetrics ? "seconds" : "milliseconds"));
    }
    line.timestamp_ms = timestamp_ms;
  }
  line.has_exemplar = format == TextFormat::kOpenMetrics && !rest.empty() && rest.front() == '#';
  if (!rest.empty() && !line.has_exemplar) {
    return Bad(absl::StrFormat("\"%s\" follows the time", rest));
  }
  return absl::OkStatus();
}

// Reads the labels of "{a="b",c="d"}", braces included.
class LabelReader {
 public:
  LabelReader(std::string_view text, LabelSetBuilder& builder) : text_(text), builder_(builder) {}

  absl::Status Read() {
    text_.remove_prefix(1);
    SkipBlanks(text_);
    while (!text_.empty() && text_.front() != '}') {
      LOCKSTEP_RETURN_IF_ERROR(ReadOne());
      SkipBlanks(text_);
      if (!text_.empty() && text_.front() == ',') {
        text_.remove_prefix(1);
        SkipBlanks(text_);
      } else if (text_.empty() || text_.front() != '}') {
        return Bad("labels need a comma or a closing brace between them");
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOne() {
    const bool quoted = text_.front() == '"';
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, quoted ? ReadQuoted() : ReadBareName());
    SkipBlanks(text_);
    const bool has_value = !text_.empty() && text_.front() == '=';
    if (!has_value && quoted) return Set(std::string(kMetricName), name);
    if (!has_value) return Bad(absl::StrFormat("label %s has no value", name));
    text_.remove_prefix(1);
    SkipBlanks(text_);
    if (text_.empty() || text_.front() != '"') {
      return Bad(absl::StrFormat("the value of label %s is not quoted", name));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string value, ReadQuoted());
    return Set(name, value);
  }

  absl::Status Set(const std::string& name, const std::string& value) {
    if (!builder_.Get(name).empty()) {
      return Bad(absl::StrFormat("label %s is there twice", name));
    }
    if (!IsValidUtf8(value)) return Bad(absl::StrFormat("the value of %s is not UTF-8", name));
    builder_.Set(name, value);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadQuoted() {
    const size_t end = EndOfQuoted(text_, 0);
    if (end == std::string_view::npos) return Bad("a quote is not closed");
    std::string value = Unescape(text_.substr(1, end - 2));
    text_.remove_prefix(end);
    return value;
  }

  absl::StatusOr<std::string> ReadBareName() {
    const size_t end = std::min(text_.find_first_of("=,} \t"), text_.size());
    std::string name(text_.substr(0, end));
    if (!IsLegacyLabelName(name)) {
      return Bad(absl::StrFormat("\"%s\" is not a label name", name));
    }
    text_.remove_prefix(end);
    return name;
  }

  std::string_view text_;
  LabelSetBuilder& builder_;
};

}  // namespace

absl::StatusOr<Line> ParseLine(std::string_view text, TextFormat format) {
  SkipBlanks(text);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  if (text.empty()) return Line();
  if (text.front() == '#') return ParseComment(text);

  Line line;
  line.kind = LineKind::kSample;
  size_t end = std::min(text.find_first_of("{ \t"), text.size());
  // A blank may stand between the name and its labels.
  const size_t brace = text.find_first_not_of(kBlanks, end);
  if (brace != std::string_view::npos && text[brace] == '{') end = EndOfBraces(text, brace);
  if (end == std::string_view::npos) return Bad("the labels are not closed");
  line.series = text.substr(0, end);
  LOCKSTEP_RETURN_IF_ERROR(ParseAfterSeries(text.substr(end), format, line));
  return line;
}

absl::StatusOr<LabelSet> ParseSeries(std::string_view series) {
  LabelSetBuilder builder;
  const size_t brace = std::min(series.find('{'), series.size());
  std::string_view name = series.substr(0, brace);
  while (!name.empty() && kBlanks.find(name.back()) != std::string_view::npos)
    name.remove_suffix(1);
  if (!name.empty()) {
    if (!IsLegacyMetricName(name)) {
      return Bad(absl::StrFormat("\"%s\" is not a metric name", name));
    }
    builder.Set(kMetricName, name);
  }
  if (brace < series.size()) {
    LOCKSTEP_RETURN_IF_ERROR(LabelReader(series.substr(brace), builder).Read());
  }
  if (builder.Get(kMetricName).empty()) return Bad("the metric name is missing");
  return builder.Build();
}

std::string Unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool escape = text[i] == '\\' && (next == '\\' || next == '"' || next == 'n');
    if (escape) ++i;
    plain += escape && next == 'n' ? '\n' : text[i];
  }
  return plain;
}

}  // namespace lockstep::importer
