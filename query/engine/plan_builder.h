// From a syntax tree and its costs to a plan.
#pragma once

#include "query/engine/query_plan.h"
#include "query/engine/query_trace.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

PlanNode BuildPlan(const promql::Expr& expr, const QueryTrace& trace);

}  // namespace lockstep::engine
