// Scraper: scrapes targets' metrics into the store, as Prometheus does. It has one thread that
// discovers targets and a few that scrape them.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "scrape/discovery.h"
#include "scrape/scrape_sink.h"
#include "scrape/scrape_stats.h"
#include "scrape/scrape_worker.h"
#include "scrape/target.h"
#include "scrape/target_state.h"

namespace lockstep::scrape {

// One job's current targets.
struct Pool {
  std::string job_name;
  std::shared_ptr<const ScrapeConfig> config;
  std::vector<Assignment> active;
  std::vector<LabelSet> dropped;  // discovered labels of some targets dropped by relabelling
  uint64_t dropped_count = 0;
};

class Scraper {
 public:
  Scraper() = default;
  // Calls Stop().
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  // Replaces all jobs. Returns immediately; targets that remain are scraped without a gap.
  void Configure(std::vector<ScrapeConfig> configs);

  // Starts scraping. `storage` must outlive the scraper; `store` is called from several threads
  // until Stop() has returned. Precondition: first call.
  void Start(const Storage& storage, StoreSamples store);
  // Marks all series stale, and returns when that is stored. Idempotent.
  void Stop();

  std::vector<Pool> pools() const;  // sorted by job
  ScrapeStats stats() const;

 private:
  struct Job {
    std::shared_ptr<const ScrapeConfig> config;
    std::unique_ptr<Discovery> discovery;
    Pool pool;
    MemoryCharge memory{MemoryAccount::kScrapes};                // for the pool
    std::map<std::string, std::shared_ptr<TargetState>> states;  // by Target::Key()
  };

  void DiscoverTargets();
  // Returns whether there were new ones.
  bool TakeConfigs();
  bool RefreshJobs();
  void MakePool(Job& job);
  static void LeaveOutWhatHasNoMemory(Job& job, TargetList& list);
  bool IsEnding() const;
  void Publish();
  bool AwaitNextLook();

  mutable Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool has_configs_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<ScrapeConfig> configs_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<Pool> pools_ LOCKSTEP_GUARDED_BY(mutex_);

  std::vector<Job> jobs_;  // only for the discovery thread; sorted by name
  std::atomic<uint64_t> failed_discoveries_{0};
  std::atomic<uint64_t> reloads_{0};
  std::atomic<const ScrapeSink*> started_sink_{nullptr};
  std::unique_ptr<ScrapeSink> sink_;
  std::vector<std::unique_ptr<ScrapeWorker>> workers_;
  std::thread discoverer_;
};

}  // namespace lockstep::scrape
