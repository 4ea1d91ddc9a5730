// Query results as JSON: the "resultType" and "result" of /api/v1/query and /api/v1/query_range.
//
//   vector  [{"metric":{..},"value":[T,"V"]}, ..]            or "histogram":[T,{..}]
//   matrix  [{"metric":{..},"values":[[T,"V"],..],"histograms":[[T,{..}],..]}, ..]
//   scalar  [T,"V"]      string  [T,"text"]
//
// T has no decimals or three, and V an exponent where Prometheus writes one. Scalars and strings
// use another encoder there, which formats both differently (base/text/float_format.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/http/json_writer.h"
#include "base/threads/task_pool.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

// "vector", "matrix", "scalar" or "string".
std::string_view ResultTypeName(const engine::QueryValue& value);
void WriteResult(JsonWriter& json, const engine::QueryValue& value, TaskPool& pool);

// Whether the text of the value is so long that it should be generated in parts.
bool IsLongResult(const engine::QueryValue& value);
// Appends comma-separated elements of a vector or matrix, starting at `begin`, until there are
// hundreds of kilobytes or no more elements. Several threads write them. Returns the index of the
// first element left.
size_t WriteElements(const engine::QueryValue& value, size_t begin, TaskPool& pool,
                     std::string& out);
// The number of elements of a vector or matrix; 1 for a scalar or string.
size_t ElementCount(const engine::QueryValue& value);

// {"name":"value",...}
void WriteLabels(JsonWriter& json, const LabelSet& labels);

}  // namespace lockstep::api
