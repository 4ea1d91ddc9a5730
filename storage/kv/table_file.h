// Table files: the files in which a Store keeps its rows.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "storage/kv/files/env.h"
#include "storage/kv/space.h"

namespace lockstep::kv {

struct TableFile {
  std::string name;  // in the store's folder: "000012.sst"
  Space space = Space::kMeta;
  std::string last_key;
  uint64_t byte_count = 0;
};

// Reads every block of the file and verifies its checksum. kDataLoss if one does not match.
absl::Status VerifyTable(const Env& env, const std::string& path);

}  // namespace lockstep::kv
