// A response body whose result is written while it is sent, so that the complete text is never in
// memory.
#pragma once

#include <cstddef>

#include "api/http/http.h"
#include "base/threads/task_pool.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

// Writes the elements of `value` into the empty array that ends at `gap` in the response's body:
// the first elements now, the others as the response's `rest`. `pool` must outlive the response.
// Precondition: `value` is a vector or matrix.
void FillInParts(Response& response, size_t gap, engine::QueryValue value, TaskPool& pool);

}  // namespace lockstep::api
