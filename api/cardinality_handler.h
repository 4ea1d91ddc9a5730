// status/cardinality, lockstep's own: where series come from, and which come and go. Reads the store; not
// quick. Safe from any thread.
#pragma once

#include "api/call.h"
#include "storage/storage.h"

namespace lockstep::api {

Response HandleCardinality(const Call& call, const Storage& storage, const QueryBudget& budget);

}  // namespace lockstep::api
