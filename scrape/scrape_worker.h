// ScrapeWorker: a thread that scrapes its targets concurrently with one libcurl multi handle. Owned
// by the Scraper.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "scrape/scrape_sink.h"
#include "scrape/scrape_task.h"

namespace lockstep::scrape {

class ScrapeWorker {
 public:
  // `sink` must outlive the worker. Starts without targets.
  ScrapeWorker(ScrapeSink& sink, size_t number);
  // Retires all targets.
  ~ScrapeWorker();
  ScrapeWorker(const ScrapeWorker&) = delete;
  ScrapeWorker& operator=(const ScrapeWorker&) = delete;

  // Replaces all targets; removed ones are retired. Thread-safe; returns immediately.
  void Assign(std::vector<Assignment> assignments);

 private:
  void Run(size_t number);
  // False if the worker should end.
  bool TakeOrders(int64_t now_ms);
  void Reassign(std::vector<Assignment> assignments, int64_t now_ms);
  void StartDue(int64_t now_ms);
  void FinishDone();
  void RetireAll(int64_t now_ms);
  void Retire(ScrapeTask& task, int64_t now_ms);
  int WaitMs(int64_t now_ms) const;

  ScrapeSink& sink_;
  void* const multi_;  // CURLM*

  Mutex mutex_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::optional<std::vector<Assignment>> orders_ LOCKSTEP_GUARDED_BY(mutex_);

  // Used only by the thread. Keyed by job and target key.
  StringMap<std::unique_ptr<ScrapeTask>> tasks_;
  absl::flat_hash_map<void*, ScrapeTask*> scraping_;  // by CURL*
  std::thread thread_;
};

}  // namespace lockstep::scrape
