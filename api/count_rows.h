// Rows of counts by name, as the status pages give them.
#pragma once

#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "storage/cardinality.h"

namespace lockstep::api {

// `key`, with the rows as [{"name": ..., ...}, ...]; write_counts(row) adds the counts of each.
template <typename Row, typename WriteCounts>
void WriteNamedRows(JsonWriter& json, std::string_view key, const std::vector<Row>& rows,
                    WriteCounts write_counts) {
  json.Key(key);
  json.BeginArray();
  for (const Row& row : rows) {
    json.BeginObject();
    json.Key("name");
    json.String(row.name);
    write_counts(row);
    json.EndObject();
  }
  json.EndArray();
}

inline void WriteCount(JsonWriter& json, std::string_view key, uint64_t count) {
  json.Key(key);
  json.Number(count);
}

// {"name": ..., "value": ...}
inline void WriteCounts(JsonWriter& json, std::string_view key,
                        const std::vector<NamedCount>& rows) {
  WriteNamedRows(json, key, rows,
                 [&](const NamedCount& row) { WriteCount(json, "value", row.count); });
}

}  // namespace lockstep::api
