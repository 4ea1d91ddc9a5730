#include "scrape/scraper.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/threads/processors.h"

namespace lockstep::scrape {
namespace {

// How often files are checked for changes.
constexpr std::chrono::seconds kLookEvery{2};
// One suffices for thousands of targets; more share the parsing of bodies.
constexpr size_t kMaxWorkers = 4;

}  // namespace

Scraper::~Scraper() { Stop(); }

void Scraper::Configure(std::vector<ScrapeConfig> configs) {
  std::sort(configs.begin(), configs.end(),
            [](const ScrapeConfig& a, const ScrapeConfig& b) { return a.job_name < b.job_name; });
  const MutexLock lock(mutex_);
  configs_ = std::move(configs);
  has_configs_ = true;
  changed_.NotifyAll();
}

void Scraper::Start(const Storage& storage, StoreSamples store) {
  sink_ = std::make_unique<ScrapeSink>(storage, std::move(store));
  started_sink_ = sink_.get();
  const size_t count = std::min(UsableProcessorCount(), kMaxWorkers);
  for (size_t i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<ScrapeWorker>(*sink_, i));
  }
  discoverer_ = std::thread([this] { DiscoverTargets(); });
}

void Scraper::Stop() {
  if (!discoverer_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  discoverer_.join();
  workers_.clear();
  sink_->AwaitWrites();
}

void Scraper::DiscoverTargets() {
  pthread_setname_np(pthread_self(), "scrape-discover");
  do {
    const bool has_new_configs = TakeConfigs();
    const bool has_changed = RefreshJobs();
    if (has_new_configs || has_changed) Publish();
  } while (AwaitNextLook());
}

bool Scraper::TakeConfigs() {
  std::vector<ScrapeConfig> configs;
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(has_configs_, false)) return false;
    configs.swap(configs_);
  }
  ++reloads_;
  std::vector<Job> jobs;
  for (ScrapeConfig& config : configs) {
    Job job;
    job.config = std::make_shared<const ScrapeConfig>(std::move(config));
    job.pool.job_name = job.config->job_name;
    Discovery* discovery_before = nullptr;
    for (Job& before : jobs_) {
      if (before.pool.job_name != job.pool.job_name) continue;
      job.states = std::move(before.states);
      discovery_before = before.discovery.get();
    }
    job.discovery = std::make_unique<Discovery>(job.config->job_name, job.config, discovery_before);
    jobs.push_back(std::move(job));
  }
  jobs_ = std::move(jobs);
  return true;
}

bool Scraper::RefreshJobs() {
  bool has_changed = false;
  for (Job& job : jobs_) {
    if (IsEnding()) return false;
    const bool job_has_changed = job.discovery->Refresh(SystemTimeMs());
    failed_discoveries_ += job.discovery->TakeFailures();
    if (job_has_changed) MakePool(job);
    has_changed |= job_has_changed;
  }
  return has_changed;
}

void Scraper::MakePool(Job& job) {
  TargetList list = MakeTargets(job.config, job.discovery->groups());
  LeaveOutWhatHasNoMemory(job, list);
  for (const std::string& error : list.errors) {
    Log(LogLevel::kWarn, "invalid target", {{"job", job.pool.job_name}, {"error", error}});
  }
  std::map<std::string, std::shared_ptr<TargetState>> states;
  job.pool.active.clear();
  for (auto& target : list.active) {
    const std::string key = target->Key();
    std::shared_ptr<TargetState>& state = states[key];
    state = std::move(job.states[key]);
    if (state == nullptr) state = std::make_shared<TargetState>();
    job.pool.active.push_back({std::move(target), state});
  }
  job.states = std::move(states);
  job.pool.config = job.config;
  job.pool.dropped = std::move(list.dropped);
  job.pool.dropped_count = list.dropped_count;
}

// A few bytes from discovery become a target with a connection.
void Scraper::LeaveOutWhatHasNoMemory(Job& job, TargetList& list) {
  // Besides its texts: the task, a libcurl handle and the library's memory for a connection.
  constexpr uint64_t kTargetBytes = 8 << 10;
  job.memory.Reset();
  size_t count = 0;
  absl::Status status;
  while (count < list.active.size() && status.ok()) {
    const Target& target = *list.active[count];
    status = job.memory.Add(kTargetBytes + target.discovered_labels.bytes().size() +
                            target.labels.bytes().size() + target.url.size());
    if (status.ok()) ++count;
  }
  if (status.ok()) return;
  list.errors.push_back(
      absl::StrFormat("%d targets are skipped: %s", list.active.size() - count, Message(status)));
  list.active.resize(count);
}

void Scraper::Publish() {
  std::vector<std::vector<Assignment>> shares(workers_.size());
  std::vector<Pool> pools;
  for (const Job& job : jobs_) {
    pools.push_back(job.pool);
    for (const Assignment& assignment : job.pool.active) {
      const size_t hash = absl::HashOf(job.pool.job_name, assignment.target->Key());
      shares[hash % shares.size()].push_back(assignment);
    }
  }
  for (size_t i = 0; i < workers_.size(); ++i) workers_[i]->Assign(std::move(shares[i]));
  const MutexLock lock(mutex_);
  pools_ = std::move(pools);
}

bool Scraper::IsEnding() const {
  const MutexLock lock(mutex_);
  return ending_;
}

// False if the scraper should stop.
bool Scraper::AwaitNextLook() {
  const MutexLock lock(mutex_);
  if (!ending_ && !has_configs_) changed_.WaitFor(mutex_, kLookEvery);
  return !ending_;
}

std::vector<Pool> Scraper::pools() const {
  const MutexLock lock(mutex_);
  return pools_;
}

ScrapeStats Scraper::stats() const {
  ScrapeStats stats;
  if (const ScrapeSink* const sink = started_sink_) sink->FillStats(stats);
  stats.failed_discoveries = failed_discoveries_;
  stats.reloads = reloads_;
  for (const Pool& pool : pools()) {
    ++stats.jobs;
    stats.active_targets += pool.active.size();
    stats.dropped_targets += pool.dropped_count;
  }
  return stats;
}

}  // namespace lockstep::scrape
