// Calendar fields of a Unix time in UTC: minute, hour, day_of_week, ...
#pragma once

#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

// Takes Unix seconds; the fraction is truncated.
using CalendarFunction = double (*)(double unix_seconds);

// Finds minute, hour, day_of_week, day_of_month, day_of_year, days_in_month, month and year; null
// for others.
CalendarFunction FindCalendarFunction(promql::FunctionId id);

}  // namespace lockstep::engine
