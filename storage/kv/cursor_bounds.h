// What an iterator of RocksDB points to while it lives.
#pragma once

#include "rocksdb/slice.h"
#include "storage/kv/cursor.h"

namespace lockstep::kv {

struct Cursor::Bounds {
  explicit Bounds(KeyRange keys) : range(std::move(keys)), upper(range.end) {}
  KeyRange range;
  rocksdb::Slice upper;
};

}  // namespace lockstep::kv
