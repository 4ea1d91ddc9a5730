#include "scrape/scrape_sink.h"

#include <utility>

#include "base/log.h"

namespace lockstep::scrape {

void ScrapeSink::Write(DecodedWrite write, std::shared_ptr<std::atomic<bool>> is_writing) {
  {
    const MutexLock lock(mutex_);
    ++writing_count_;
  }
  *is_writing = true;
  store_(std::move(write), [this, is_writing](const absl::StatusOr<WriteSummary>& summary) {
    *is_writing = false;
    Done(summary.status());
  });
}

void ScrapeSink::Done(const absl::Status& status) {
  if (!status.ok()) {
    ++counters_.failed_writes;
    Log(LogLevel::kWarn, "scraped samples were not stored", {{"error", Message(status)}});
  }
  const MutexLock lock(mutex_);
  --writing_count_;
  written_.NotifyAll();
}

void ScrapeSink::AwaitWrites() {
  const MutexLock lock(mutex_);
  while (writing_count_ > 0) written_.Wait(mutex_);
}

void ScrapeSink::FillStats(ScrapeStats& stats) const {
  stats.scrapes = counters_.scrapes;
  stats.failed_scrapes = counters_.failed_scrapes;
  stats.skipped_scrapes = counters_.skipped_scrapes;
  stats.body_bytes = counters_.body_bytes;
  stats.samples = counters_.samples;
  stats.kept_samples = counters_.kept_samples;
  stats.stale_markers = counters_.stale_markers;
  stats.failed_writes = counters_.failed_writes;
}

}  // namespace lockstep::scrape
