// The configuration of RocksDB: one place for every option, each with its reason.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "storage/kv/files/env.h"
#include "storage/kv/resources.h"

namespace lockstep::kv {

rocksdb::DBOptions MakeDbOptions(const std::string& folder, const Env& env,
                                 const Resources& resources);
// One for each Space, in its order.
std::vector<rocksdb::ColumnFamilyDescriptor> MakeSpaceOptions(const Resources& resources);

}  // namespace lockstep::kv
