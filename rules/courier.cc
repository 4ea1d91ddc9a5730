#include "rules/courier.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/redact_url.h"
#include "scrape/http_fetch.h"

namespace lockstep::rules {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1'000};
constexpr milliseconds kLongestPause{30'000};
// Later nobody wants to hear of it, and the rules have told again.
constexpr int kMaxTries = 12;
// Whoever stops the server waits for it.
constexpr milliseconds kLastTimeout{2'000};

// Whether trying again may help: not if the receiver says that the request is wrong.
bool MayRecover(const absl::Status& status) { return !absl::IsInvalidArgument(status); }

}  // namespace

Courier::Courier(CourierOptions options, MakeBody make_body, CourierCounters& counters)
    : options_(std::move(options)),
      make_body_(std::move(make_body)),
      counters_(counters),
      thread_([this] { Run(); }) {}

Courier::~Courier() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

bool Courier::IsNews(const Notice& notice) {
  if (!options_.once) return true;
  if (notice.is_resolved) return told_.erase(notice.labels) > 0;
  const auto [at, is_new] = told_.emplace(notice.labels, notice.starts_at_ms);
  return is_new || std::exchange(at->second, notice.starts_at_ms) != notice.starts_at_ms;
}

void Courier::Tell(std::span<const Notice> notices) {
  const MutexLock lock(mutex_);
  for (const Notice& notice : notices) {
    if (!IsNews(notice)) continue;
    if (queue_.size() >= options_.max_queued) {
      queue_.pop_front();
      ++counters_.dropped;
    }
    queue_.push_back(notice);
  }
  changed_.NotifyAll();
}

std::vector<Notice> Courier::TakeBatch() {
  const size_t count = std::min(queue_.size(), options_.max_batch);
  const auto end = queue_.begin() + static_cast<ptrdiff_t>(count);
  std::vector<Notice> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return batch;
}

void Courier::Run() {
  pthread_setname_np(pthread_self(), "alert-courier");
  while (true) {
    std::vector<Notice> batch;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !ending_) changed_.Wait(mutex_);
      if (queue_.empty()) return;
      batch = TakeBatch();
    }
    Deliver(batch);
  }
}

// False when there is no more time.
bool Courier::AwaitRetry(milliseconds pause) {
  const auto until = std::chrono::steady_clock::now() + pause;
  const MutexLock lock(mutex_);
  while (!ending_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds(0)) return true;
    changed_.WaitFor(mutex_, left);
  }
  return false;
}

void Courier::Deliver(const std::vector<Notice>& batch) {
  scrape::FetchOptions request;
  request.url = options_.url;
  request.headers = {"Content-Type: application/json"};
  request.http = options_.http;
  request.post_body = make_body_(batch);
  scrape::HttpFetch fetch;
  milliseconds pause = kFirstPause;
  absl::Status status;
  for (int tries = 1;; ++tries) {
    {
      const MutexLock lock(mutex_);
      request.timeout = ending_ ? std::min(kLastTimeout, options_.timeout) : options_.timeout;
    }
    status = fetch.Get(request);
    if (status.ok()) {
      counters_.sent += batch.size();
      return;
    }
    ++counters_.failed_requests;
    if (tries == 1) {
      Log(LogLevel::kWarn, "a receiver of alerts did not take them",
          {{"url", RedactUrlToHost(options_.url)},
           {"alerts", batch.size()},
           {"error", Message(status)}});
    }
    if (!MayRecover(status) || tries == kMaxTries || !AwaitRetry(pause)) break;
    pause = std::min(2 * pause, kLongestPause);
  }
  counters_.dropped += batch.size();
  Log(LogLevel::kError, "alerts were dropped",
      {{"url", RedactUrlToHost(options_.url)},
       {"alerts", batch.size()},
       {"error", Message(status)}});
}

}  // namespace lockstep::rules
