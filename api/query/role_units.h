// units=role: converts the results of queries to the units of roles, so that clients need not know
// how each exporter stores a metric.
#pragma once

#include "query/engine/values/value.h"

namespace lockstep::api {

// Converts the floats of series whose metric name has a role (catalogue::ToRole); all else stays.
// A series that becomes empty, such as the rate of a single sample, is removed.
void ToRoleUnits(engine::QueryValue& value);

}  // namespace lockstep::api
