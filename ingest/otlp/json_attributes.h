// Attributes of OTLP in JSON: a list of {"key": "...", "value": {"stringValue": "..."}}. Pure functions.
#pragma once

#include <string_view>

#include "ingest/otlp/attributes.h"
#include "ingest/otlp/json_value.h"

namespace lockstep::otlp {

// Adds those in the list `key` of `object`, whose document outlives `attributes`.
void ReadJsonAttributes(JsonObject object, std::string_view key, Attributes& attributes);

}  // namespace lockstep::otlp
