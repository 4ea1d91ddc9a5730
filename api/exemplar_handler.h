// /api/v1/query_exemplars: the exemplars of the series that a query selects. Quick; safe from any thread.
#pragma once

#include "api/call.h"
#include "ingest/exemplar_store.h"

namespace lockstep::api {

Response HandleQueryExemplars(const Call& call, const ExemplarStore& exemplars);

}  // namespace lockstep::api
