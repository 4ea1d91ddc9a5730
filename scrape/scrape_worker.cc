#include "scrape/scrape_worker.h"

#include <curl/curl.h>
#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/clock.h"

namespace lockstep::scrape {
namespace {

// The longest time until a change of the clock is noticed.
constexpr int64_t kMaxWaitMs = 1000;

std::string TaskKey(const Target& target) { return target.config->job_name + '\0' + target.Key(); }

}  // namespace

ScrapeWorker::ScrapeWorker(ScrapeSink& sink, size_t number)
    : sink_(sink), multi_(curl_multi_init()), thread_([this, number] { Run(number); }) {}

ScrapeWorker::~ScrapeWorker() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  curl_multi_cleanup(multi_);
}

void ScrapeWorker::Assign(std::vector<Assignment> assignments) {
  {
    const MutexLock lock(mutex_);
    orders_ = std::move(assignments);
  }
  curl_multi_wakeup(multi_);
}

void ScrapeWorker::Run(size_t number) {
  pthread_setname_np(pthread_self(), absl::StrFormat("scrape-%d", number).c_str());
  while (TakeOrders(SystemTimeMs())) {
    StartDue(SystemTimeMs());
    int running_count = 0;
    curl_multi_perform(multi_, &running_count);
    FinishDone();
    curl_multi_poll(multi_, nullptr, 0, WaitMs(SystemTimeMs()), nullptr);
  }
  RetireAll(SystemTimeMs());
}

bool ScrapeWorker::TakeOrders(int64_t now_ms) {
  std::optional<std::vector<Assignment>> orders;
  {
    const MutexLock lock(mutex_);
    if (ending_) return false;
    orders.swap(orders_);
  }
  if (orders) Reassign(*std::move(orders), now_ms);
  return true;
}

void ScrapeWorker::Reassign(std::vector<Assignment> assignments, int64_t now_ms) {
  StringMap<std::unique_ptr<ScrapeTask>> kept;
  for (Assignment& assignment : assignments) {
    const std::string key = TaskKey(*assignment.target);
    const auto known = tasks_.find(key);
    if (known == tasks_.end()) {
      kept[key] = std::make_unique<ScrapeTask>(std::move(assignment), sink_, now_ms);
    } else {
      known->second->Reassign(std::move(assignment), now_ms);
      kept[key] = std::move(known->second);
      tasks_.erase(known);
    }
  }
  RetireAll(now_ms);
  tasks_ = std::move(kept);
}

void ScrapeWorker::StartDue(int64_t now_ms) {
  for (auto& [key, task] : tasks_) {
    task->schedule().Rewind(now_ms);
    // A running scrape ends soon: its timeout is at most the interval.
    if (!task->schedule().IsDue(now_ms) || task->is_scraping()) continue;
    if (void* const handle = task->Start(now_ms)) {
      scraping_[handle] = task.get();
      curl_multi_add_handle(multi_, handle);
    }
  }
}

void ScrapeWorker::FinishDone() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const handle = message->easy_handle;
    const CURLcode code = message->data.result;
    curl_multi_remove_handle(multi_, handle);
    ScrapeTask* const task = scraping_[handle];
    scraping_.erase(handle);
    task->Finish(code);
  }
}

void ScrapeWorker::RetireAll(int64_t now_ms) {
  for (auto& [key, task] : tasks_) Retire(*task, now_ms);
  tasks_.clear();
}

void ScrapeWorker::Retire(ScrapeTask& task, int64_t now_ms) {
  for (auto at = scraping_.begin(); task.is_scraping() && at != scraping_.end(); ++at) {
    if (at->second != &task) continue;
    curl_multi_remove_handle(multi_, at->first);
    scraping_.erase(at);
    break;
  }
  task.Retire(now_ms);
}

int ScrapeWorker::WaitMs(int64_t now_ms) const {
  int64_t wait_ms = kMaxWaitMs;
  for (const auto& [key, task] : tasks_) {
    if (!task->is_scraping()) wait_ms = std::min(wait_ms, task->schedule().due_ms() - now_ms);
  }
  return static_cast<int>(std::max<int64_t>(wait_ms, 0));
}

}  // namespace lockstep::scrape
