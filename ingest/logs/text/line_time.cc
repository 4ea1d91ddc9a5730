#include "ingest/logs/text/line_time.h"

#include <chrono>
#include <cmath>

#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr size_t kSecondsBytes = sizeof("2026-03-02 09:15:48") - 1;

// -1 unless both bytes are digits.
int TwoDigits(const char* text) {
  if (!IsDigit(text[0]) || !IsDigit(text[1])) return -1;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

std::optional<int64_t> DayOf(const char* text) {
  const int century = TwoDigits(text);
  const int year = TwoDigits(text + 2);
  const int month = TwoDigits(text + 5);
  const int day = TwoDigits(text + 8);
  if (century < 0 || year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(century * 100 + year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<int64_t> SecondOfDay(const char* text) {
  const int hour = TwoDigits(text);
  const int minute = TwoDigits(text + 3);
  const int second = TwoDigits(text + 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  return hour * 3600 + minute * 60 + second;
}

// ".571224" is 571. Without digits, the point belongs to the text that follows.
int64_t TakeMilliseconds(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !IsDigit(text[1])) return 0;
  int64_t milliseconds = 0;
  int64_t weight = 100;
  text.remove_prefix(1);
  for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1), weight /= 10) {
    milliseconds += (text.front() - '0') * weight;
  }
  return milliseconds;
}

std::optional<int64_t> TakeZoneSeconds(std::string_view& text) {
  if (text.starts_with('Z')) {
    text.remove_prefix(1);
    return 0;
  }
  constexpr size_t kZoneBytes = sizeof("+02:00") - 1;
  if (text.size() < kZoneBytes || (text[0] != '+' && text[0] != '-') || text[3] != ':') {
    return std::nullopt;
  }
  const int hours = TwoDigits(text.data() + 1);
  const int minutes = TwoDigits(text.data() + 4);
  if (hours < 0 || minutes < 0) return std::nullopt;
  const int64_t seconds = hours * 3600 + minutes * 60;
  const bool is_west = text[0] == '-';
  text.remove_prefix(kZoneBytes);
  return is_west ? -seconds : seconds;
}

}  // namespace

std::optional<int64_t> TakeTime(std::string_view& text, int32_t utc_offset_s) {
  if (text.size() < kSecondsBytes || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
      text[16] != ':' || (text[10] != ' ' && text[10] != 'T')) {
    return std::nullopt;
  }
  const auto day = DayOf(text.data());
  const auto second = SecondOfDay(text.data() + 11);
  if (!day.has_value() || !second.has_value()) return std::nullopt;
  text.remove_prefix(kSecondsBytes);
  const int64_t milliseconds = TakeMilliseconds(text);
  const int64_t offset_s = TakeZoneSeconds(text).value_or(utc_offset_s);
  return (*day * 86400 + *second - offset_s) * 1000 + milliseconds;
}

std::optional<int64_t> TimeOfNumber(double value) {
  if (!(value >= 1e6) || value >= 1e19) return std::nullopt;
  double milliseconds = value * 1000;
  if (value >= 1e17) {
    milliseconds = value / 1e6;
  } else if (value >= 1e14) {
    milliseconds = value / 1e3;
  } else if (value >= 1e11) {
    milliseconds = value;
  }
  return std::llround(milliseconds);
}

}  // namespace lockstep::logs
