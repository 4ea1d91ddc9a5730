// The body of an answer whose result is written while it is sent, so that its text is never in memory
// as a whole.
#pragma once

#include <cstddef>

#include "api/http.h"
#include "base/task_pool.h"
#include "query/engine/value.h"

namespace lockstep::api {

// Writes the elements of `value` into the empty array whose end is at `gap` of the response's body: the
// first ones now, what is left as the response's rest. `pool` outlives it. Precondition: `value` is a
// vector or matrix.
void FillInParts(Response& response, size_t gap, engine::QueryValue value, TaskPool& pool);

}  // namespace lockstep::api
