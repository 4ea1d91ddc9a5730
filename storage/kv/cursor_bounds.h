// What an iterator of RocksDB points to while it lives.
#pragma once

#include <memory>
#include <utility>

#include "rocksdb/slice.h"
#include "storage/kv/cursor.h"
#include "storage/kv/database.h"

namespace lockstep::kv {

struct Cursor::Bounds {
  Bounds(KeyRange keys, std::shared_ptr<const Database> of)
      : database(std::move(of)), range(std::move(keys)), upper(range.end) {}
  std::shared_ptr<const Database> database;
  KeyRange range;
  rocksdb::Slice upper;
};

}  // namespace lockstep::kv
