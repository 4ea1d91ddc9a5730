// Query results as JSON: the "resultType" and "result" of /api/v1/query and /api/v1/query_range.
//
//   vector  [{"metric":{..},"value":[T,"V"]}, ..]            or "histogram":[T,{..}]
//   matrix  [{"metric":{..},"values":[[T,"V"],..],"histograms":[[T,{..}],..]}, ..]
//   scalar  [T,"V"]      string  [T,"text"]
//
// T of a sample has no decimals or three, V an exponent where Prometheus writes one; a scalar and a
// string go through another encoder there, with other forms of both (base/float_format.h).
#pragma once

#include <string_view>

#include "api/json_writer.h"
#include "base/task_pool.h"
#include "query/engine/value.h"

namespace lockstep::api {

// "vector", "matrix", "scalar" or "string".
std::string_view ResultTypeName(const engine::QueryValue& value);
// Of large results the series are written by several threads.
void WriteResult(JsonWriter& json, const engine::QueryValue& value, TaskPool& pool);

// {"name":"value",...}
void WriteLabels(JsonWriter& json, const LabelSet& labels);

}  // namespace lockstep::api
