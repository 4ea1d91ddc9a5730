// The plan of a completed query as JSON: /api/v1/explain.
//
//   {"kind":"aggregation","text":"sum(up)","seconds":0.2,"ownSeconds":0.01,"children":[
//     {"kind":"vector selector","text":"up","seconds":0.19,"ownSeconds":0.19,
//      "matchers":["__name__=\"up\""],"series":12,"samples":480,"readSeconds":0.15,"children":[]}]}
#pragma once

#include "api/http/json_writer.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

void WritePlan(JsonWriter& json, const engine::PlanNode& node);

}  // namespace lockstep::api
