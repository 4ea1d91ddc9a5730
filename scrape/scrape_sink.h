// ScrapeSink: receives the samples of scrapes, and counts them. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "ingest/ingester.h"
#include "scrape/scrape_stats.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::scrape {

// Stores samples, like the part of Ingester::Write() after decoding.
using StoreSamples = std::function<void(DecodedWrite, Ingester::Done)>;

class ScrapeSink {
 public:
  // `storage` must outlive the sink, and the sink must outlive every write: see AwaitWrites().
  ScrapeSink(const Storage& storage, StoreSamples store)
      : storage_(storage), store_(std::move(store)) {}

  const Storage& storage() const { return storage_; }

  // `is_writing` stays true until the store has answered.
  void Write(DecodedWrite write, std::shared_ptr<std::atomic<bool>> is_writing);
  // Waits until no write is in progress.
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
  // Sets the fields counted here.
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
