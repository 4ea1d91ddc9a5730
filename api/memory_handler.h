// /api/v1/status/memory: what clients hold of the memory budget.
#pragma once

#include "api/http.h"
#include "base/memory_budget.h"

namespace lockstep::api {

Response HandleMemory(const MemoryBudgetStats& stats);

}  // namespace lockstep::api
