// ShardCounters: what a shard counts about itself since its start. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep {

struct ShardCounters {
  using Counter = std::atomic<uint64_t>;
  Counter appended_samples{0};
  Counter duplicate_samples{0};
  Counter overwritten_samples{0};
  Counter out_of_order_samples{0};
  Counter rejected_samples{0};
  Counter commit_count{0};
  Counter commit_bytes{0};
  Counter commit_nanoseconds{0};
  Counter sealed_chunks{0};
  Counter sealed_bytes{0};
  Counter merge_count{0};
  Counter merge_read_bytes{0};
  Counter merge_written_bytes{0};
  Counter merge_nanoseconds{0};
  Counter expired_samples{0};
  Counter failed_writes{0};
  Counter queue_depth{0};
  std::atomic<bool> read_only{false};
};

}  // namespace lockstep
