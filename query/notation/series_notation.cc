#include "query/notation/series_notation.h"

#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "model/sample.h"
#include "query/notation/histogram_notation.h"
#include "query/promql/parser/parser.h"

namespace lockstep::notation {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

absl::Status MalformedSeries(std::string_view what, std::string_view text) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: '%s'", what, text));
}

// The length of the number, with its sign if it has one, at the start of `text`; 0 if there is
// none.
size_t NumberSize(std::string_view text) {
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  for (const std::string_view word : {"Inf", "inf", "INF", "NaN", "nan"}) {
    if (text.substr(at, 3) == word) return at + 3;
  }
  const size_t digits = at;
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '.')) ++at;
  if (at == digits) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at;
  }
  // The rest of a duration: units, and numbers between them.
  constexpr std::string_view kUnits = "ywdhms";
  while (at < text.size() && kUnits.find(text[at]) != kUnits.npos) {
    while (at < text.size() && kUnits.find(text[at]) != kUnits.npos) ++at;
    while (at < text.size() && IsDigit(text[at])) ++at;
  }
  return at;
}

// Takes the item at the start of `rest`, up to a space that is not inside {{...}}.
std::string_view TakeItem(std::string_view& rest) {
  size_t end = 0;
  int depth = 0;
  while (end < rest.size() && (depth > 0 || !IsBlank(rest[end]))) {
    if (rest[end] == '{') ++depth;
    if (rest[end] == '}') --depth;
    ++end;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(end);
  return item;
}

// "" means no repetition, "x5" five; anything else is malformed.
absl::StatusOr<std::optional<int>> Repetition(std::string_view text) {
  if (text.empty()) return std::optional<int>();
  int count = 0;
  const char* const end = text.data() + text.size();
  if (text.front() != 'x') return MalformedSeries("invalid repetition", text);
  const auto [stop, error] = std::from_chars(text.data() + 1, end, count);
  if (error != std::errc() || stop != end) return MalformedSeries("invalid repetition", text);
  return std::optional<int>(count);
}

// a, axN, a+bxN, a-bxN.
absl::Status AppendNumbers(std::string_view item, std::vector<Slot>& slots) {
  const size_t first_size = NumberSize(item);
  const std::optional<double> first = ParseValue(item.substr(0, first_size));
  if (!first) return MalformedSeries("invalid value", item);
  std::string_view rest = item.substr(first_size);
  double increment = 0;
  if (!rest.empty() && rest.front() != 'x') {
    const size_t size = NumberSize(rest);
    const std::optional<double> parsed = ParseValue(rest.substr(0, size));
    if (!parsed) return MalformedSeries("invalid value", item);
    increment = *parsed;
    rest.remove_prefix(size);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<int> count, Repetition(rest));
  double value = *first;
  slots.push_back(SlotValue{value, nullptr, false});
  for (int i = 0; i < count.value_or(0); ++i) {
    value += increment;
    slots.push_back(SlotValue{value, nullptr, false});
  }
  return absl::OkStatus();
}

// {{..}}, {{..}}xN, {{..}}+{{..}}xN, {{..}}-{{..}}xN.
absl::Status AppendHistograms(std::string_view item, std::vector<Slot>& slots) {
  const size_t first_end = item.find("}}");
  if (first_end == item.npos) return MalformedSeries("invalid histogram", item);
  LOCKSTEP_ASSIGN_OR_RETURN(const NotedHistogram first,
                            ParseHistogram(item.substr(0, first_end + 2)));
  std::string_view rest = item.substr(first_end + 2);
  std::optional<NotedHistogram> increment;
  double factor = 0;
  if (!rest.empty() && rest.front() != 'x') {
    factor = rest.front() == '-' ? -1 : 1;
    const size_t end = rest.find("}}");
    if (end == rest.npos) return MalformedSeries("invalid histogram", item);
    LOCKSTEP_ASSIGN_OR_RETURN(increment, ParseHistogram(rest.substr(1, end + 1)));
    rest.remove_prefix(end + 2);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<int> count, Repetition(rest));
  auto histogram = std::make_shared<const Histogram>(first.histogram);
  slots.push_back(SlotValue{0, histogram, first.names_hint});
  for (int i = 0; i < count.value_or(0); ++i) {
    if (increment) {
      LOCKSTEP_ASSIGN_OR_RETURN(Histogram next,
                                AddScaled(*histogram, factor, increment->histogram));
      histogram = std::make_shared<const Histogram>(std::move(next));
    }
    slots.push_back(SlotValue{0, histogram, first.names_hint});
  }
  return absl::OkStatus();
}

absl::Status AppendItem(std::string_view item, std::vector<Slot>& slots) {
  if (item.front() == '_') {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<int> count, Repetition(item.substr(1)));
    slots.resize(slots.size() + static_cast<size_t>(count.value_or(1)));
    return absl::OkStatus();
  }
  if (item == "stale") {
    slots.push_back(SlotValue{StaleNan(), nullptr, false});
    return absl::OkStatus();
  }
  return item.front() == '{' ? AppendHistograms(item, slots) : AppendNumbers(item, slots);
}

// Where the series ends and its values begin: after the braces, or at the first space.
size_t SeriesSize(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote != '`') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
    } else if (c == '}') {
      return i + 1;
    } else if (IsBlank(c) && line.substr(0, i).find('{') == line.npos) {
      return i;
    }
  }
  return line.size();
}

absl::StatusOr<LabelSet> ParseLabels(std::string_view text) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, promql::ParseMetricSelector(text));
  std::vector<LabelView> labels;
  for (const Matcher& matcher : matchers) {
    if (matcher.type() != MatchType::kEqual) return MalformedSeries("invalid series", text);
    labels.push_back({matcher.name(), matcher.value()});
  }
  return LabelSet::Of(std::move(labels));
}

}  // namespace

std::optional<double> ParseValue(std::string_view text) {
  double sign = 1;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    if (text.front() == '-') sign = -1;
    text.remove_prefix(1);
  }
  std::string lower(text);
  for (char& c : lower) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  if (lower == "inf") return sign * std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return sign * value;
  const absl::StatusOr<int64_t> duration_ms = promql::ParseDurationMs(text);
  if (!duration_ms.ok()) return std::nullopt;
  return sign * static_cast<double>(*duration_ms) / 1000;
}

absl::StatusOr<SeriesLine> ParseSeriesLine(std::string_view line) {
  const size_t size = SeriesSize(line);
  SeriesLine series;
  LOCKSTEP_ASSIGN_OR_RETURN(series.labels, ParseLabels(line.substr(0, size)));
  std::string_view rest = line.substr(size);
  while (!rest.empty()) {
    if (IsBlank(rest.front())) {
      rest.remove_prefix(1);
      continue;
    }
    LOCKSTEP_RETURN_IF_ERROR(AppendItem(TakeItem(rest), series.slots));
  }
  return series;
}

}  // namespace lockstep::notation
