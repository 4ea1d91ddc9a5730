// Courier: tells one receiver of alerts by POST, in batches, on a thread of its own. It tries until the
// receiver takes them, and each try carries the newest states, as Outbox keeps them.
//
// Safe from any thread.
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
#include "rules/notice.h"
#include "rules/outbox.h"
#include "scrape/config/scrape_config.h"
#include "scrape/http_fetch.h"

namespace lockstep::rules {

// What couriers did, all of them together. Outlives them.
struct CourierCounters {
  std::atomic<uint64_t> sent{0};  // alerts
  // Alerts: too many waited, or for too long, or the receiver refused them.
  std::atomic<uint64_t> dropped{0};
  std::atomic<uint64_t> failed_requests{0};
};

struct CourierOptions {
  std::string url;
  std::chrono::milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  // Each alert is told once when it fires and once when it is over, instead of again and again.
  bool once = false;

  bool operator==(const CourierOptions&) const = default;
};

class Courier {
 public:
  using MakeBody = std::function<std::string(std::span<const Notice>)>;

  Courier(CourierOptions options, MakeBody make_body, CourierCounters& counters);
  // Tries once more to tell what waits.
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  // Returns at once.
  void Tell(std::span<const Notice> notices);

  const CourierOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Batch = std::vector<Outbox::Waiting>;

  void Run();
  // Waits for something to tell and for the time to try. Empty when the courier is to end.
  Batch AwaitBatch();
  absl::Status Post(const Batch& batch);
  void Finish(Batch batch, const absl::Status& status);
  std::chrono::milliseconds TimeoutOfNextRequest() LOCKSTEP_EXCLUDES(mutex_);

  const CourierOptions options_;
  const MakeBody make_body_;
  CourierCounters& counters_;
  // Of the thread alone.
  scrape::HttpFetch fetch_;
  std::chrono::milliseconds pause_{0};  // before the next try; 0 while the receiver takes alerts

  Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  Clock::time_point last_try_until_ LOCKSTEP_GUARDED_BY(mutex_);  // once it is ending
  Clock::time_point next_try_ LOCKSTEP_GUARDED_BY(mutex_);
  Outbox outbox_ LOCKSTEP_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace lockstep::rules
