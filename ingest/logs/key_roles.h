// Names that say when and by whom a record was written, not what was measured. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "ingest/logs/log_record.h"

namespace lockstep::logs {

struct KeyMeaning {
  KeyRole role;
  uint8_t step_precedence = 0;
  std::string_view label = {};  // of KeyRole::kLabel
};

// Of a name in a line of JSON, a CSV header or the like; nothing for one that names a value.
std::optional<KeyMeaning> MeaningOfKey(std::string_view written);

}  // namespace lockstep::logs
