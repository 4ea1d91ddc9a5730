#include "rules/alerts/courier.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text/url.h"

namespace lockstep::rules {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxBatch = 256;  // alerts
constexpr milliseconds kFirstPause{500};
// A receiver that recovers gets firing alerts within this time.
constexpr milliseconds kLongestPause{2'000};
// Short, because stopping the server waits for it.
constexpr milliseconds kLastTimeout{2'000};

// Whether a retry may help: not if the receiver rejects the request as invalid.
bool MayRecover(const absl::Status& status) { return !absl::IsInvalidArgument(status); }

}  // namespace

Courier::Courier(CourierOptions options, MakeBody make_body, CourierCounters& counters)
    : options_(std::move(options)),
      make_body_(std::move(make_body)),
      counters_(counters),
      outbox_({.once = options_.once}),
      thread_([this] { Run(); }) {}

Courier::~Courier() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    last_try_until_ = Clock::now() + kLastTimeout;
    changed_.NotifyAll();
  }
  thread_.join();
}

void Courier::Tell(std::span<const Notice> notices) {
  const int64_t now_ms = SystemTimeMs();
  const MutexLock lock(mutex_);
  const uint64_t dropped_before = outbox_.dropped();
  for (const Notice& notice : notices) outbox_.Put(notice, now_ms);
  counters_.dropped += outbox_.dropped() - dropped_before;
  changed_.NotifyAll();
}

void Courier::Run() {
  pthread_setname_np(pthread_self(), "alert-courier");
  while (true) {
    Batch batch = AwaitBatch();
    if (batch.empty()) return;
    const absl::Status status = Post(batch);
    Finish(std::move(batch), status);
  }
}

Courier::Batch Courier::AwaitBatch() {
  const MutexLock lock(mutex_);
  while (true) {
    const Clock::time_point now = Clock::now();
    if (ending_ && now >= last_try_until_) return {};
    if (ending_ || now >= next_try_) {
      const uint64_t dropped_before = outbox_.dropped();
      Batch batch = outbox_.Take(kMaxBatch, SystemTimeMs());
      counters_.dropped += outbox_.dropped() - dropped_before;
      if (!batch.empty() || ending_) return batch;
    }
    if (outbox_.empty()) {
      changed_.Wait(mutex_);
    } else {
      changed_.WaitFor(mutex_, next_try_ - now);
    }
  }
}

milliseconds Courier::TimeoutOfNextRequest() {
  const MutexLock lock(mutex_);
  if (!ending_) return options_.timeout;
  const auto left = std::chrono::ceil<milliseconds>(last_try_until_ - Clock::now());
  return std::clamp(left, milliseconds(1), options_.timeout);
}

absl::Status Courier::Post(const Batch& batch) {
  std::vector<Notice> notices;
  for (const Outbox::Waiting& waiting : batch) {
    notices.push_back(waiting.notice);
    // The next request may come this much later; the receiver must not consider the alert resolved
    // by then.
    if (!waiting.notice.is_resolved) notices.back().ends_at_ms += options_.timeout.count();
  }
  scrape::FetchOptions request;
  request.url = options_.url;
  request.headers = {"Content-Type: application/json"};
  request.http = options_.http;
  request.post_body = make_body_(notices);
  request.timeout = TimeoutOfNextRequest();
  return fetch_.Send(request);
}

void Courier::Finish(Batch batch, const absl::Status& status) {
  const std::string url = RedactUrlToHost(options_.url);
  if (status.ok()) {
    counters_.sent += batch.size();
    if (pause_ > milliseconds(0)) {
      Log(LogLevel::kInfo, "an alert receiver accepts alerts again", {{"url", url}});
    }
    pause_ = milliseconds(0);
    return;
  }
  ++counters_.failed_requests;
  if (!MayRecover(status)) {
    counters_.dropped += batch.size();
    Log(LogLevel::kError, "alerts were dropped",
        {{"url", url}, {"alerts", batch.size()}, {"error", Message(status)}});
    return;
  }
  if (pause_ == milliseconds(0)) {
    Log(LogLevel::kWarn, "an alert receiver did not accept alerts; retrying",
        {{"url", url}, {"alerts", batch.size()}, {"error", Message(status)}});
  }
  pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
  const MutexLock lock(mutex_);
  if (ending_) {
    counters_.dropped += batch.size();
    last_try_until_ = Clock::now();
    return;
  }
  outbox_.PutBack(std::move(batch));
  next_try_ = Clock::now() + pause_;
}

}  // namespace lockstep::rules
