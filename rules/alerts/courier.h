// Courier: sends alerts to one receiver by POST, in batches, on its own thread. Retries until the
// receiver accepts them; each attempt carries the newest states, as kept by Outbox.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "rules/alerts/notice.h"
#include "rules/alerts/outbox.h"
#include "scrape/config/scrape_config.h"
#include "scrape/http_fetch.h"

namespace lockstep::rules {

// Totals over all couriers, which it must outlive.
struct CourierCounters {
  std::atomic<uint64_t> sent{0};  // alerts
  // Alerts that were dropped because too many waited, they waited too long, or the receiver
  // rejected them.
  std::atomic<uint64_t> dropped{0};
  std::atomic<uint64_t> failed_requests{0};
};

struct CourierOptions {
  std::string url;
  std::chrono::milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  // Send each alert once when it fires and once when it resolves, instead of repeatedly.
  bool once = false;

  bool operator==(const CourierOptions&) const = default;
};

class Courier {
 public:
  using MakeBody = std::function<std::string(std::span<const Notice>)>;

  Courier(CourierOptions options, MakeBody make_body, CourierCounters& counters);
  // Makes one last attempt to send waiting alerts.
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  // Queues the notices and returns immediately.
  void Tell(std::span<const Notice> notices);

  const CourierOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Batch = std::vector<Outbox::Waiting>;

  void Run();
  // Waits until there are alerts to send and it is time to try. Empty when the courier should stop.
  Batch AwaitBatch();
  absl::Status Post(const Batch& batch);
  void Finish(Batch batch, const absl::Status& status);
  std::chrono::milliseconds TimeoutOfNextRequest() LOCKSTEP_EXCLUDES(mutex_);

  const CourierOptions options_;
  const MakeBody make_body_;
  CourierCounters& counters_;
  // Used only by the courier's thread.
  scrape::HttpFetch fetch_;
  std::chrono::milliseconds pause_{0};  // before the next attempt; 0 while the receiver is fine

  Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  Clock::time_point last_try_until_ LOCKSTEP_GUARDED_BY(mutex_);  // set when ending
  Clock::time_point next_try_ LOCKSTEP_GUARDED_BY(mutex_);
  Outbox outbox_ LOCKSTEP_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace lockstep::rules
