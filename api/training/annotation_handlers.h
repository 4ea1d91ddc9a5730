// Annotations of jobs:
//
//   POST   /api/v1/annotations                                   JSON: an object or a list of them
//   GET    /api/v1/annotations?start=&end=&job=&kind=&tag=&limit=
//   DELETE /api/v1/annotations?id=&job=
//
// Functions of their arguments; safe from any thread.
#pragma once

#include <cstdint>

#include "annotations/annotation_store.h"
#include "api/http/call.h"
#include "api/http/http.h"
#include "base/budget/query_budget.h"

namespace lockstep::api {

// Accepts all annotations of a request, or none.
Response HandleAnnotationPut(const Request& request, annotations::AnnotationStore& store,
                             int64_t now_ms);
Response HandleAnnotationDelete(const Request& request, annotations::AnnotationStore& store);
Response HandleAnnotations(const Call& call, int64_t now_ms, QueryBudget& budget);

}  // namespace lockstep::api
