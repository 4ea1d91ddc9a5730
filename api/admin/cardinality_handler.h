// status/cardinality, specific to lockstep: shows where series come from, and which appear and
// disappear. Reads the store, so it is not quick. Safe from any thread.
#pragma once

#include "api/http/call.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

Response HandleCardinality(const Call& call, const Storage& storage, const QueryBudget& budget);

}  // namespace lockstep::api
