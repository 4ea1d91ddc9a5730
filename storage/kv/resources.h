// Resources: shared by all shards of a process, so that its memory and its disk traffic are bounded
// once and not per shard. Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <memory>

namespace rocksdb {
class Cache;
class RateLimiter;
class WriteBufferManager;
}  // namespace rocksdb

namespace lockstep::kv {

struct ResourceLimits {
  uint64_t block_cache_bytes = uint64_t{64} << 20;
  uint64_t write_buffer_bytes = uint64_t{96} << 20;  // over all shards and spaces
  int max_open_tables = 512;                         // per store
};

// How many tables each of this many stores may keep open, so that together they use a quarter of
// the process's file handles.
int OpenTablesOf(uint32_t store_count);

struct Resources {
  explicit Resources(const ResourceLimits& limits);

  const std::shared_ptr<rocksdb::Cache> block_cache;
  const std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;
  const std::shared_ptr<rocksdb::RateLimiter> background_writes;
  const int max_open_tables;
};

}  // namespace lockstep::kv
