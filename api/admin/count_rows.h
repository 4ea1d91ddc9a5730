// Rows of counts by name, in the format of the status pages.
#pragma once

#include <string_view>
#include <vector>

#include "api/http/json_writer.h"
#include "storage/cardinality.h"

namespace lockstep::api {

// Writes `key` with the rows as [{"name": ..., ...}, ...]; write_counts(row) adds the counts of
// each.
template <typename Row, typename WriteCounts>
void WriteNamedRows(JsonWriter& json, std::string_view key, const std::vector<Row>& rows,
                    WriteCounts write_counts) {
  json.Key(key);
  json.BeginArray();
  for (const Row& row : rows) {
    json.BeginObject();
    json.Field("name", row.name);
    write_counts(row);
    json.EndObject();
  }
  json.EndArray();
}

// {"name": ..., "value": ...}
inline void WriteCounts(JsonWriter& json, std::string_view key,
                        const std::vector<NamedCount>& rows) {
  WriteNamedRows(json, key, rows, [&](const NamedCount& row) { json.Field("value", row.count); });
}

}  // namespace lockstep::api
