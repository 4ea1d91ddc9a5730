// The items of a record of W&B's transaction log, to numbers. Not thread-safe.
//
// An item is a path and a value in JSON. The path is one key, or the keys of objects within
// objects, which older writers put into the JSON instead: {"a": {"b": 1}} is a.b = 1 either way.
// NaN and Infinity are written bare or as texts. An object with a member "_type" is an image, a
// histogram, a table or the like: it is left out whole.
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
  uint64_t media = 0;       // objects with a type, left out
  uint64_t no_numbers = 0;  // texts, lists, booleans, null, left out
  uint64_t malformed = 0;   // JSON that cannot be read, names that are too long, objects too deep
};

class WandbItemReader {
 public:
  // Appends the numbers in `items`, which are those of one record.
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
