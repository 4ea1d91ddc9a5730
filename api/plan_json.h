// The plan of a query that ran, as JSON: /api/v1/explain.
//
//   {"kind":"aggregation","text":"sum(up)","seconds":0.2,"ownSeconds":0.01,"children":[
//     {"kind":"vector selector","text":"up","seconds":0.19,"ownSeconds":0.19,
//      "matchers":["__name__=\"up\""],"series":12,"samples":480,"readSeconds":0.15,"children":[]}]}
#pragma once

#include "api/json_writer.h"
#include "query/engine/query_plan.h"

namespace lockstep::api {

void WritePlan(JsonWriter& json, const engine::PlanNode& node);

}  // namespace lockstep::api
