// Courier: tells one receiver of alerts by POST, in batches, on a thread of its own. What cannot be told is tried again
// with growing pauses; what waits is bounded, the oldest goes first.
//
// Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "rules/notice.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::rules {

// What couriers did, all of them together. Outlives them.
struct CourierCounters {
  std::atomic<uint64_t> sent{0};     // alerts
  std::atomic<uint64_t> dropped{0};  // alerts: the queue was full, or nobody took them for too long
  std::atomic<uint64_t> failed_requests{0};
};

struct CourierOptions {
  std::string url;
  std::chrono::milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  size_t max_queued = 10'000;  // alerts
  size_t max_batch = 256;
  // Each alert is told once when it fires and once when it is over, instead of again and again.
  bool once = false;
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

  const std::string& url() const { return options_.url; }

 private:
  void Run();
  std::vector<Notice> TakeBatch() LOCKSTEP_REQUIRES(mutex_);
  // Leaves out what was told before.
  bool IsNews(const Notice& notice) LOCKSTEP_REQUIRES(mutex_);
  void Deliver(const std::vector<Notice>& batch);
  bool AwaitRetry(std::chrono::milliseconds pause);

  const CourierOptions options_;
  const MakeBody make_body_;
  CourierCounters& counters_;

  Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::deque<Notice> queue_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<LabelSet, int64_t> told_ LOCKSTEP_GUARDED_BY(mutex_);  // of those that fire, since when
  std::thread thread_;
};

}  // namespace lockstep::rules
