// ScrapeTask: scrapes one target repeatedly: requests, parses, stores, reports. Used only by the
// thread that owns it.
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

// A target and the receiver of its state.
struct Assignment {
  std::shared_ptr<const Target> target;
  std::shared_ptr<TargetState> state;
};

class ScrapeTask {
 public:
  // `sink` must outlive the task.
  ScrapeTask(Assignment assignment, ScrapeSink& sink, int64_t now_ms);

  // For the same target, possibly with another configuration.
  void Reassign(Assignment assignment, int64_t now_ms);

  ScrapeSchedule& schedule() { return schedule_; }
  bool is_scraping() const { return is_scraping_; }

  // Begins the scrape that is due. Returns a CURL* to perform, and to end with Finish(); null if
  // the scrape is already over. Precondition: it is due, and !is_scraping().
  void* Start(int64_t now_ms);
  // `code` is a CURLcode.
  void Finish(int code);
  // Marks all series stale, because the target is gone.
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
  // `gone` must stay valid until Write().
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
  int64_t timestamp_ms_ = 0;  // of the current or last scrape
  int64_t start_ns_ = 0;      // on the steady clock
};

}  // namespace lockstep::scrape
