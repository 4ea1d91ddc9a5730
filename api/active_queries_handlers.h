// status/active_queries: what waits and runs, and an end to one of them. Quick, so that they answer while
// every thread of the query pool is busy. Safe from any thread.
#pragma once

#include "api/active_queries.h"
#include "api/call.h"

namespace lockstep::api {

Response HandleActiveQueries(const ActiveQueries& queries);
// The number is the path's. 204, or 404 when there is no such query (any more).
Response HandleCancelQuery(const Call& call, ActiveQueries& queries);

}  // namespace lockstep::api
