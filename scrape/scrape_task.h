// ScrapeTask: one target from scrape to scrape: asks, reads, stores, reports. Used by the one thread that owns
// it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scrape/http_fetch.h"
#include "scrape/scrape_batch.h"
#include "scrape/scrape_schedule.h"
#include "scrape/scrape_sink.h"
#include "scrape/target.h"
#include "scrape/target_series.h"
#include "scrape/target_state.h"

namespace lockstep::scrape {

// A target and who hears of it.
struct Assignment {
  std::shared_ptr<const Target> target;
  std::shared_ptr<TargetState> state;
};

class ScrapeTask {
 public:
  // `sink` outlives the task.
  ScrapeTask(Assignment assignment, ScrapeSink& sink, int64_t now_ms);

  // The same target, perhaps with another configuration.
  void Reassign(Assignment assignment, int64_t now_ms);

  ScrapeSchedule& schedule() { return schedule_; }
  bool is_scraping() const { return is_scraping_; }

  // Begins the scrape that is due. A CURL* to be performed, whose end is for Finish(); null when there is
  // nothing to perform: the scrape is over. Precondition: it is due, and !is_scraping().
  void* Start(int64_t now_ms);
  // `code` is a CURLcode.
  void Finish(int code);
  // The target is gone: marks all of its series stale.
  void Retire(int64_t now_ms);

 private:
  struct Report {
    double up = 0;
    double duration_seconds = 0;
    uint64_t samples = 0;
    uint64_t kept = 0;
    uint64_t added = 0;
  };
  static constexpr size_t kReportCount = 5;

  FetchOptions OptionsOf(const Target& target) const;
  absl::Status ReadAnswer(const absl::Status& fetched, Report& report);
  void End(const absl::Status& fetched);
  // `gone` stays where it is until Write().
  void MarkStale(std::span<const KeyedLabels> gone, int64_t timestamp_ms);
  void AddReport(const Report& report);
  void Write();

  Assignment assignment_;
  ScrapeSink& sink_;
  ScrapeSchedule schedule_;
  HttpFetch fetch_;
  TargetSeries series_;
  ScrapeBatch batch_;
  std::array<KeyedLabels, kReportCount> report_series_;
  std::shared_ptr<std::atomic<bool>> is_writing_ = std::make_shared<std::atomic<bool>>(false);
  bool is_scraping_ = false;
  bool has_reported_ = false;
  int64_t timestamp_ms_ = 0;  // of the scrape under way, or of the last
  int64_t start_ns_ = 0;      // on the steady clock
};

}  // namespace lockstep::scrape
