// Rank placement: takes registrations and returns where ranks ran.
//
//   POST /api/v1/training/register                   JSON: object, list or lines; may be compressed
//   GET  /api/v1/training/identity?job=&start=&end=  the job's ranks, where they were and when
//   GET  /api/v1/training/identity?gpu=UUID          the jobs that a GPU had
//
// Functions of their arguments; safe from any thread.
#pragma once

#include <cstdint>

#include "api/http/call.h"
#include "api/http/http.h"
#include "base/budget/query_budget.h"
#include "ingest/ingester.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

// Accepts all registrations of a request, or none.
void HandleRegister(const Request& request, Ingester& ingester, int64_t now_ms, Respond respond);

// Blocking: run it on the query pool.
Response HandleIdentity(const Call& call, const Storage& storage, int64_t now_ms,
                        QueryBudget& budget);

}  // namespace lockstep::api
