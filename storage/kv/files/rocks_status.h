// Converts RocksDB's statuses to ours.
#pragma once

#include "base/status.h"

namespace rocksdb {
class Status;
}

namespace lockstep::kv {

// kUnavailable for errors that may pass (disk full, I/O errors, shutting down), kDataLoss for
// corruption, kNotFound, and kInternal for the rest.
absl::Status FromRocks(const rocksdb::Status& status);

}  // namespace lockstep::kv
