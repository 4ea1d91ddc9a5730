// /api/v1/status/memory: how much of the memory budget clients use.
#pragma once

#include "api/http/http.h"
#include "base/budget/memory_budget.h"

namespace lockstep::api {

Response HandleMemory(const MemoryBudgetStats& stats);

}  // namespace lockstep::api
