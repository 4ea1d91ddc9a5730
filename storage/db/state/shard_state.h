// ShardState: the state of a shard, shared by its writer, its keeper and the queriers.
//
//   thread                  may
//   writer thread           change every field, holding `mutex`; read them without it (WriterReads)
//   all others              read the guarded fields, holding `mutex` shared
//   owner of a frozen head  read that head without a lock: it never changes again
//   or of a view
//
// Samples are in one or more of three places, later ones winning: chunks (`kv`), the frozen head
// (being sealed), the active head. While a seal runs, its samples are in two of these places, never
// in none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "model/sample.h"
#include "storage/db/head/head.h"
#include "storage/db/rows/windows.h"
#include "storage/db/series/dictionary.h"
#include "storage/db/series/series_directory.h"
#include "storage/db/state/change_log.h"
#include "storage/kv/store.h"

namespace lockstep {

// A shard's statistics since its start. Safe from any thread.
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

struct ShardState {
  ShardState(std::shared_ptr<SeriesLimit> store_limit, Clock now_ms)
      : series_limit(std::move(store_limit)), dictionary(series_limit, std::move(now_ms)) {}

  std::string folder;
  uint32_t number = 0;                         // index among the store's shards
  std::shared_ptr<SeriesDirectory> directory;  // the store's
  std::shared_ptr<ChangeLog> changes;          // the store's
  std::shared_ptr<kv::Env> env;
  std::unique_ptr<kv::Store> kv;
  std::shared_ptr<SeriesLimit> series_limit;  // the store's

  mutable SharedMutex mutex;
  // The heads are guarded too, but the compiler checks only the pointers to them.
  Dictionary dictionary LOCKSTEP_GUARDED_BY(mutex);
  std::shared_ptr<Head> active LOCKSTEP_GUARDED_BY(mutex) = std::make_shared<Head>();
  // Null when nothing is being sealed.
  std::shared_ptr<const Head> frozen LOCKSTEP_GUARDED_BY(mutex);
  // The last journal block that is in `frozen`.
  uint64_t frozen_generation LOCKSTEP_GUARDED_BY(mutex) = 0;
  uint64_t sealed_sequence LOCKSTEP_GUARDED_BY(mutex) = 0;  // the journal's mark
  Windows windows LOCKSTEP_GUARDED_BY(mutex);               // windows that have chunks

  // Used by the writer only.
  uint64_t counted_head_bytes = 0;  // counted in the limit
  uint64_t seal_count = 0;          // seals whose chunks are in `windows`
  uint64_t next_sequence = 1;       // of the next journal block
  uint64_t replayed_sequence = 0;   // the last block that was there when the shard was opened

  mutable ShardCounters counters;
};

// Lets the writer's thread read guarded fields without the lock, because nobody else changes them.
// It locks nothing; it only tells the compiler, which cannot tell threads apart.
class LOCKSTEP_SCOPED_CAPABILITY WriterReads {
 public:
  explicit WriterReads(const ShardState& shard) LOCKSTEP_ACQUIRE_SHARED(shard.mutex) {
    static_cast<void>(shard);
  }
  ~WriterReads() LOCKSTEP_RELEASE_GENERIC() {}
  WriterReads(const WriterReads&) = delete;
  WriterReads& operator=(const WriterReads&) = delete;
};

}  // namespace lockstep
