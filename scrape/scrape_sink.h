// ScrapeSink: where scrapes put what they read, and the counters of that. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "ingest/ingester.h"
#include "scrape/scrape_stats.h"
#include "storage/storage.h"

namespace lockstep::scrape {

// Takes what is to be stored, as Ingester::Write() does behind the decoding.
using StoreSamples = std::function<void(DecodedWrite, Ingester::Done)>;

class ScrapeSink {
 public:
  // `storage` outlives the sink, and the sink every write: see AwaitWrites().
  ScrapeSink(const Storage& storage, StoreSamples store)
      : storage_(storage), store_(std::move(store)) {}

  const Storage& storage() const { return storage_; }

  // `is_writing` is true until the store has answered.
  void Write(DecodedWrite write, std::shared_ptr<std::atomic<bool>> is_writing);
  // Returns when no write is under way.
  void AwaitWrites();

  struct Counters {
    std::atomic<uint64_t> scrapes{0};
    std::atomic<uint64_t> failed_scrapes{0};
    std::atomic<uint64_t> skipped_scrapes{0};
    std::atomic<uint64_t> body_bytes{0};
    std::atomic<uint64_t> samples{0};
    std::atomic<uint64_t> kept_samples{0};
    std::atomic<uint64_t> stale_markers{0};
    std::atomic<uint64_t> failed_writes{0};
  };
  Counters& counters() { return counters_; }
  // The fields that have a counter here.
  void FillStats(ScrapeStats& stats) const;

 private:
  void Done(const absl::Status& status);

  const Storage& storage_;
  const StoreSamples store_;
  Counters counters_;
  Mutex mutex_;
  CondVar written_;
  size_t writing_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

}  // namespace lockstep::scrape
