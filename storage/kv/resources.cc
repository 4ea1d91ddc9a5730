#include "storage/kv/resources.h"

#include "rocksdb/cache.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/write_buffer_manager.h"

namespace lockstep::kv {
namespace {

// Flushes and compactions leave the rest of the disk to the log's syncs.
constexpr int64_t kBackgroundBytesPerSecond = int64_t{256} << 20;

}  // namespace

Resources::Resources(const ResourceLimits& limits)
    : block_cache(rocksdb::NewLRUCache(limits.block_cache_bytes)),
      write_buffers(std::make_shared<rocksdb::WriteBufferManager>(limits.write_buffer_bytes)),
      background_writes(rocksdb::NewGenericRateLimiter(kBackgroundBytesPerSecond)) {}

}  // namespace lockstep::kv
