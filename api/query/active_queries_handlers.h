// status/active_queries: lists waiting and running queries, and cancels one. Quick, so that it
// works even while every thread of the query pool is busy. Safe from any thread.
#pragma once

#include "api/http/call.h"
#include "api/query/active_queries.h"

namespace lockstep::api {

Response HandleActiveQueries(const ActiveQueries& queries);
// Cancels the query whose number is in the path. Returns 204, or 404 if there is no such query, or
// no longer.
Response HandleCancelQuery(const Call& call, ActiveQueries& queries);

}  // namespace lockstep::api
