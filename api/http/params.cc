#include "api/http/params.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_format.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::api {
namespace {

using promql::Quote;

std::optional<double> ReadFloat(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int64_t MillisecondsOf(double seconds) {
  // Rounds the decimals separately, because combined with the seconds they would lose digits.
  double whole = 0;
  const double fraction = std::modf(seconds, &whole);
  constexpr int64_t kMaxTimeS = kMaxTimeMs / 1000;
  constexpr auto kBound = static_cast<double>(kMaxTimeS);
  if (whole >= kBound) return kMaxTimeMs;
  if (whole <= -kBound) return kMinTimeMs;
  return static_cast<int64_t>(whole) * 1000 + std::llround(fraction * 1000);
}

// Removes exactly `digits` digits from the front.
std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, char upper) {
  if (text.empty() || (text[0] != upper && text[0] != upper - 'A' + 'a')) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeMark(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> TakeDate(std::string_view& text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !TakeMark(text, '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !TakeMark(text, '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// HH:MM as minutes.
std::optional<int> TakeHourMinute(std::string_view& text) {
  const auto hour = TakeNumber(text, 2);
  if (!hour || *hour > 23 || !TakeMark(text, ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  return *hour * 60 + *minute;
}

// ".123456" as milliseconds, truncated; 0 without a point.
std::optional<int> TakeFraction(std::string_view& text) {
  if (!TakeMark(text, '.')) return 0;
  int milliseconds = 0;
  size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits < 3) milliseconds = milliseconds * 10 + (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (size_t i = digits; i < 3; ++i) milliseconds *= 10;
  text.remove_prefix(digits);
  return milliseconds;
}

// "Z" or "+01:00" as minutes, up to the end of the text.
std::optional<int> TakeZone(std::string_view& text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto minutes = TakeHourMinute(text);
  if (!minutes || !text.empty()) return std::nullopt;
  return sign * *minutes;
}

std::optional<int64_t> ReadRfc3339Ms(std::string_view text) {
  const auto date = TakeDate(text);
  if (!date || !TakeChar(text, 'T')) return std::nullopt;
  const auto minutes = TakeHourMinute(text);
  if (!minutes || !TakeMark(text, ':')) return std::nullopt;
  const auto seconds = TakeNumber(text, 2);
  if (!seconds || *seconds > 59) return std::nullopt;
  const auto fraction_ms = TakeFraction(text);
  if (!fraction_ms) return std::nullopt;
  const auto zone_minutes = TakeZone(text);
  if (!zone_minutes) return std::nullopt;
  const int64_t days = date->time_since_epoch().count();
  return ((days * 1440 + *minutes - *zone_minutes) * 60 + *seconds) * 1000 + *fraction_ms;
}

// Go prints the two ends of its range in this form, which its own parser cannot read.
std::optional<int64_t> ReadBoundaryMs(std::string_view text) {
  if (text == "-292273086-05-16T16:47:06Z") return kMinTimeMs;
  if (text == "292277025-08-18T07:12:54.999999999Z") return kMaxTimeMs;
  return std::nullopt;
}

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

}  // namespace

absl::StatusOr<int64_t> ParseTimeMs(std::string_view text) {
  if (const auto seconds = ReadFloat(text); seconds && std::isfinite(*seconds)) {
    return MillisecondsOf(*seconds);
  }
  if (const auto time_ms = ReadRfc3339Ms(text)) return *time_ms;
  if (const auto time_ms = ReadBoundaryMs(text)) return *time_ms;
  return Invalid(absl::StrFormat("cannot parse %s to a valid timestamp", Quote(text)));
}

absl::StatusOr<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  if (const auto seconds = ReadFloat(text)) {
    const double nanoseconds = *seconds * 1e9;
    // Written so that NaN also fails.
    if (!(std::abs(nanoseconds) < static_cast<double>(std::numeric_limits<int64_t>::max()))) {
      return Invalid(
          absl::StrFormat("cannot parse %s to a valid duration. It overflows int64", Quote(text)));
    }
    return std::chrono::nanoseconds(static_cast<int64_t>(nanoseconds));
  }
  constexpr int64_t kMaxMs = std::numeric_limits<int64_t>::max() / 1'000'000;
  if (const auto ms = promql::ParseDurationMs(text); ms.ok() && *ms <= kMaxMs) {
    return std::chrono::milliseconds(*ms);
  }
  return Invalid(absl::StrFormat("cannot parse %s to a valid duration", Quote(text)));
}

absl::StatusOr<int64_t> ParseInteger(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (error == std::errc() && whole && !digits.empty()) return value;
  const bool too_large = error == std::errc::result_out_of_range && whole;
  return Invalid(absl::StrFormat("strconv.Atoi: parsing %s: %s", Quote(text),
                                 too_large ? "value out of range" : "invalid syntax"));
}

absl::StatusOr<size_t> ParseLimit(std::string_view text) {
  if (text.empty()) return kNoLimit;
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t limit, ParseInteger(text));
  if (limit < 0) return Invalid("limit must be non-negative");
  return limit == 0 ? kNoLimit : static_cast<size_t>(limit);
}

absl::StatusOr<bool> ParseBool(std::string_view text) {
  static constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  static constexpr std::string_view kFalse[] = {"", "0", "f", "F", "false", "FALSE", "False"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse)) return false;
  return Invalid(absl::StrFormat("strconv.ParseBool: parsing %s: invalid syntax", Quote(text)));
}

absl::StatusOr<TimeRange> ParseTimeRange(std::string_view start, std::string_view end) {
  TimeRange range{kMinTimeMs, kMaxTimeMs};
  const auto parse = [](std::string_view name, std::string_view text, int64_t& time_ms) {
    if (text.empty()) return absl::OkStatus();
    const auto parsed = ParseTimeMs(text);
    if (!parsed.ok()) {
      return Invalid(absl::StrFormat("invalid parameter \"%s\": invalid time value for '%s': %s",
                                     name, name, Message(parsed.status())));
    }
    time_ms = *parsed;
    return absl::OkStatus();
  };
  LOCKSTEP_RETURN_IF_ERROR(parse("start", start, range.min_ms));
  LOCKSTEP_RETURN_IF_ERROR(parse("end", end, range.max_ms));
  return range;
}

absl::StatusOr<std::vector<std::vector<Matcher>>> ParseMatcherSets(
    const std::vector<std::string_view>& selectors, const QueryBudget* budget) {
  std::vector<std::vector<Matcher>> sets;
  for (const std::string_view selector : selectors) {
    LOCKSTEP_ASSIGN_OR_RETURN(auto matchers, promql::ParseMetricSelector(selector, budget));
    sets.push_back(std::move(matchers));
  }
  for (const std::vector<Matcher>& matchers : sets) {
    const bool all_match_empty = std::all_of(matchers.begin(), matchers.end(),
                                             [](const Matcher& m) { return m.MatchesEmpty(); });
    if (all_match_empty) {
      return Invalid("match[] must contain at least one non-empty matcher");
    }
  }
  return sets;
}

namespace {

// Removes a hexadecimal code point and its closing '_' from the front of `text`, such as "2e_".
std::optional<char32_t> TakeCodePoint(std::string_view& text) {
  constexpr size_t kMaxDigits = 6;
  const size_t end = text.find('_');
  if (end == std::string_view::npos || end == 0 || end > kMaxDigits) return std::nullopt;
  uint32_t code_point = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + end, code_point, 16);
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (error != std::errc() || stop != text.data() + end || surrogate || code_point > 0x10ffff) {
    return std::nullopt;
  }
  text.remove_prefix(end + 1);
  return code_point;
}

}  // namespace

std::string UnescapeLabelName(std::string_view name) {
  constexpr std::string_view kPrefix = "U__";
  if (!name.starts_with(kPrefix)) return std::string(name);
  std::string_view rest = name.substr(kPrefix.size());
  std::string unescaped;
  while (!rest.empty()) {
    if (!TakeMark(rest, '_')) {
      unescaped += rest[0];
      rest.remove_prefix(1);
    } else if (TakeMark(rest, '_')) {
      unescaped += '_';
    } else if (const auto code_point = TakeCodePoint(rest)) {
      promql::AppendUtf8(*code_point, unescaped);
    } else {
      return std::string(name);
    }
  }
  return unescaped;
}

}  // namespace lockstep::api
