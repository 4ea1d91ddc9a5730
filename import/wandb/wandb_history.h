// Converts the items of a record in W&B's transaction log to numbers. Not thread-safe.
//
// An item is a path and a value in JSON. The path is one key, or the keys of nested objects, which
// older writers put into the JSON instead: {"a": {"b": 1}} is a.b = 1 either way. NaN and Infinity
// are bare or quoted. An object with a member "_type" is an image, a histogram, a table or similar,
// and is skipped as a whole.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/wandb/wandb_run.h"

namespace lockstep::wandb {

struct WandbItem {
  std::vector<std::string_view> path;
  std::string_view json;
};

struct WandbItemCounts {
  uint64_t media = 0;       // skipped objects with a type
  uint64_t no_numbers = 0;  // skipped texts, lists, booleans, null
  uint64_t malformed = 0;   // invalid JSON, overlong names, objects too deep
};

class WandbItemReader {
 public:
  // Appends the numbers in `items`, which belong to one record.
  void Read(const std::vector<WandbItem>& items, std::vector<WandbValue>& values);

  const WandbItemCounts& counts() const { return counts_; }

 private:
  void ReadItem(const WandbItem& item, std::vector<WandbValue>& values);
  void ReadValue(std::string name, simdjson::dom::element value, int depth,
                 std::vector<WandbValue>& values);
  void ReadObject(const std::string& name, simdjson::dom::object object, int depth,
                  std::vector<WandbValue>& values);
  void Put(std::string name, double value, std::vector<WandbValue>& values);

  simdjson::dom::parser parser_;
  WandbItemCounts counts_;
};

}  // namespace lockstep::wandb
