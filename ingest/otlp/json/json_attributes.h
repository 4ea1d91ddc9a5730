// Decodes OTLP attributes in JSON: a list of {"key": "...", "value": {"stringValue": "..."}}. Pure
// functions.
#pragma once

#include <string_view>

#include "ingest/otlp/json/json_value.h"
#include "ingest/otlp/points/attributes.h"

namespace lockstep::otlp {

// Adds the attributes in the list `key` of `object`, whose document must outlive `attributes`.
void ReadJsonAttributes(JsonObject object, std::string_view key, Attributes& attributes);

}  // namespace lockstep::otlp
