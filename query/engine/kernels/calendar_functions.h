// Calendar fields of a Unix time, UTC: minute, hour, day_of_week, ...
#pragma once

#include "query/promql/functions.h"

namespace lockstep::engine {

// Takes Unix seconds; the fraction is cut off.
using CalendarFunction = double (*)(double unix_seconds);

// minute hour day_of_week day_of_month day_of_year days_in_month month year. Null for all others.
CalendarFunction FindCalendarFunction(promql::FunctionId id);

}  // namespace lockstep::engine
