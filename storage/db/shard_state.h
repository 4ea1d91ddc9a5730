// ShardState: what a shard knows, shared by its writer, its keeper and the queriers.
//
//   who                     may
//   writer thread           change every field, holding `mutex`; read them without it
//   everybody else          read the guarded fields, holding `mutex` shared
//   whoever has a frozen    read that head without a lock: it never changes again
//   head or a view
//
// Samples are in one or more of three places, later ones winning: chunks (`kv`), the frozen head
// (being sealed), the active head. While a seal runs its samples are in two of them, never in none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "model/sample.h"
#include "storage/db/change_log.h"
#include "storage/db/clock.h"
#include "storage/db/dictionary.h"
#include "storage/db/head.h"
#include "storage/db/series_directory.h"
#include "storage/db/shard_counters.h"
#include "storage/db/windows.h"
#include "storage/kv/store.h"

namespace lockstep {

struct ShardState {
  ShardState(std::shared_ptr<SeriesLimit> store_limit, Clock now_ms)
      : series_limit(std::move(store_limit)), dictionary(series_limit, std::move(now_ms)) {}

  std::string folder;
  uint32_t number = 0;                         // among the store's shards
  std::shared_ptr<SeriesDirectory> directory;  // the store's
  std::shared_ptr<ChangeLog> changes;          // the store's
  std::shared_ptr<kv::Env> env;
  std::unique_ptr<kv::Store> kv;
  std::shared_ptr<SeriesLimit> series_limit;  // the store's

  mutable SharedMutex mutex;
  Dictionary dictionary;
  std::shared_ptr<Head> active = std::make_shared<Head>();
  std::shared_ptr<const Head> frozen;  // null when nothing is being sealed
  uint64_t frozen_generation = 0;      // the last journal block that is in `frozen`
  Windows windows;                     // that have chunks

  // The writer's own.
  uint64_t counted_head_bytes = 0;  // in the limit
  uint64_t seal_count = 0;          // seals whose chunks are in `windows`
  uint64_t next_sequence = 1;       // of the journal
  uint64_t sealed_sequence = 0;     // the journal's mark
  uint64_t replayed_sequence = 0;   // the last block that was there when the shard was opened

  mutable ShardCounters counters;
};

}  // namespace lockstep
