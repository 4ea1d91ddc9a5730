// Query results as JSON: the "resultType" and "result" of /api/v1/query and /api/v1/query_range.
//
//   vector  [{"metric":{..},"value":[T,"V"]}, ..]            or "histogram":[T,{..}]
//   matrix  [{"metric":{..},"values":[[T,"V"],..],"histograms":[[T,{..}],..]}, ..]
//   scalar  [T,"V"]      string  [T,"text"]
//
// T of a sample has no decimals or three, V an exponent where Prometheus writes one; a scalar and a
// string go through another encoder there, with other forms of both (base/float_format.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/json_writer.h"
#include "base/task_pool.h"
#include "query/engine/value.h"

namespace lockstep::api {

// "vector", "matrix", "scalar" or "string".
std::string_view ResultTypeName(const engine::QueryValue& value);
void WriteResult(JsonWriter& json, const engine::QueryValue& value, TaskPool& pool);

// Whether the text of the value is so long that it should be made in parts.
bool IsLongResult(const engine::QueryValue& value);
// Appends elements of a vector or matrix with commas between them, from `begin` on until there are
// hundreds of kilobytes or no more. Several threads write them. Returns the first one left.
size_t WriteElements(const engine::QueryValue& value, size_t begin, TaskPool& pool,
                     std::string& out);
// How many elements a vector or matrix has; a scalar or string is one value.
size_t ElementCount(const engine::QueryValue& value);

// {"name":"value",...}
void WriteLabels(JsonWriter& json, const LabelSet& labels);

}  // namespace lockstep::api
