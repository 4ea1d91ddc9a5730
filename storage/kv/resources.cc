#include "storage/kv/resources.h"

#include <sys/resource.h>

#include <algorithm>

#include "rocksdb/cache.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/write_buffer_manager.h"

namespace lockstep::kv {
namespace {

// Flushes and compactions leave the rest of the disk to the log's syncs.
constexpr int64_t kBackgroundBytesPerSecond = int64_t{256} << 20;

// With fewer tables RocksDB opens and closes them all the time; more are of no use.
constexpr uint64_t kFewestTables = 32;
constexpr uint64_t kMostTables = 512;

}  // namespace

int OpenTablesOf(uint32_t store_count) {
  rlimit limit = {};
  // Raises the soft limit to the hard one.
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostTables;
  return static_cast<int>(
      std::clamp<uint64_t>(limit.rlim_max / 4 / store_count, kFewestTables, kMostTables));
}

Resources::Resources(const ResourceLimits& limits)
    : block_cache(rocksdb::NewLRUCache(limits.block_cache_bytes)),
      write_buffers(std::make_shared<rocksdb::WriteBufferManager>(limits.write_buffer_bytes)),
      background_writes(rocksdb::NewGenericRateLimiter(kBackgroundBytesPerSecond)),
      max_open_tables(limits.max_open_tables) {}

}  // namespace lockstep::kv
