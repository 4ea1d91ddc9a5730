#include "query/engine/kernels/numbers/calendar_functions.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace lockstep::engine {
namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kDaysPerEra = 146097;  // 400 years

struct CivilTime {
  int64_t year = 0;
  int month = 0;        // 1..12
  int day = 0;          // 1..31
  int64_t days = 0;     // since 1970-01-01
  int64_t seconds = 0;  // since midnight
};

int64_t HourOfDay(const CivilTime& civil) { return civil.seconds / 3600; }
int64_t MinuteOfHour(const CivilTime& civil) { return civil.seconds / 60 % 60; }

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Whole seconds as on amd64, where NaN and numbers that do not fit become the lowest integer.
int64_t WholeSeconds(double unix_seconds) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(unix_seconds >= -kLimit && unix_seconds < kLimit)) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(unix_seconds);
}

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Go counts from March 1 of the year -292277022400 in an unsigned 64-bit integer, so that earlier
// times wrap around: the lowest integer is in the year 292277026596.
constexpr int64_t kGoEras = 292277022400 / 400;
constexpr int64_t kDaysToUnix = 719468;  // from 0000-03-01
constexpr uint64_t kGoSecondsToUnix =
    uint64_t{kGoEras * kDaysPerEra + kDaysToUnix} * kSecondsPerDay;

// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (civil_from_days).
CivilTime Civil(double unix_seconds) {
  const uint64_t seconds = static_cast<uint64_t>(WholeSeconds(unix_seconds)) + kGoSecondsToUnix;
  CivilTime civil;
  const int64_t shifted =  // days since 0000-03-01
      static_cast<int64_t>(seconds / kSecondsPerDay) - kGoEras * kDaysPerEra;
  civil.days = shifted - kDaysToUnix;
  civil.seconds = static_cast<int64_t>(seconds % kSecondsPerDay);
  const int64_t era = FloorDiv(shifted, kDaysPerEra);
  const int64_t day_of_era = shifted - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =  // from March 1
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  civil.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  civil.month =
      static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  civil.year = era * 400 + year_of_era + (civil.month <= 2 ? 1 : 0);
  return civil;
}

int DaysInMonth(const CivilTime& civil) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[civil.month - 1] + (civil.month == 2 && IsLeap(civil.year) ? 1 : 0);
}

int DayOfYear(const CivilTime& civil) {
  constexpr int kDaysBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  return kDaysBefore[civil.month - 1] + civil.day + (civil.month > 2 && IsLeap(civil.year) ? 1 : 0);
}

}  // namespace

CalendarFunction FindCalendarFunction(promql::FunctionId id) {
  using promql::FunctionId;
  switch (id) {
    case FunctionId::kMinute:
      return [](double s) { return static_cast<double>(MinuteOfHour(Civil(s))); };
    case FunctionId::kHour:
      return [](double s) { return static_cast<double>(HourOfDay(Civil(s))); };
    case FunctionId::kDayOfWeek:
      // 1970-01-01 was a Thursday, day 4 of a week that starts with Sunday.
      return [](double s) {
        const int64_t days = Civil(s).days + 4;
        return static_cast<double>(days - FloorDiv(days, 7) * 7);
      };
    case FunctionId::kDayOfMonth:
      return [](double s) { return static_cast<double>(Civil(s).day); };
    case FunctionId::kDayOfYear:
      return [](double s) { return static_cast<double>(DayOfYear(Civil(s))); };
    case FunctionId::kDaysInMonth:
      return [](double s) { return static_cast<double>(DaysInMonth(Civil(s))); };
    case FunctionId::kMonth:
      return [](double s) { return static_cast<double>(Civil(s).month); };
    case FunctionId::kYear:
      return [](double s) { return static_cast<double>(Civil(s).year); };
    default:
      return nullptr;
  }
}

}  // namespace lockstep::engine
