// Settings that are lists of maps, of which only the configuration file can have any. Flattened
// (config_file.h) a value of one is called "NAME[0].key". Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/serve_options.h"

namespace lockstep::cli {

struct ListedValue {
  size_t index = 0;
  std::string key;
};

// What a list may hold.
struct ListForm {
  std::string_view name;   // "storage.retention.rules"
  std::string_view needs;  // what an item that is no map is told: "needs keep"
  std::string_view items;  // "rules"
  size_t max_count = 0;
};

bool IsListed(const GivenValue& value, const ListForm& form);
// Values come in the order of the file; `count` items have been seen so far. Errors begin with the
// value's origin. Precondition: IsListed().
absl::StatusOr<ListedValue> ParseListed(const GivenValue& value, const ListForm& form,
                                        size_t count);

}  // namespace lockstep::cli
