// Table files: what a Store keeps its rows in, looked at as files.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "storage/kv/env.h"
#include "storage/kv/space.h"

namespace lockstep::kv {

struct TableFile {
  std::string name;  // in the store's folder: "000012.sst"
  Space space = Space::kMeta;
  std::string first_key;
  std::string last_key;
  uint64_t byte_count = 0;
};

// Reads every block of the file and compares it with its checksum. kDataLoss if one is not what it was.
absl::Status VerifyTable(const Env& env, const std::string& path);

}  // namespace lockstep::kv
