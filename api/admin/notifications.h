// Notifications: messages for the operator, such as a failed reload of the configuration, and the
// clients that listen for them. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/http/http.h"
#include "base/mutex.h"

namespace lockstep::api {

struct Notification {
  std::string text;
  int64_t time_ms = 0;  // Unix
  bool active = true;
};

class Notifications {
 public:
  // The same limit as Prometheus.
  static constexpr size_t kMaxListeners = 16;

  // The interval between heartbeats to listeners, which reveal disconnected ones.
  explicit Notifications(std::chrono::milliseconds heartbeat = std::chrono::seconds(15))
      : heartbeat_(heartbeat) {}
  // Calls End().
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  // Adds the notification, or updates its time if it is already active.
  void Add(std::string_view text, int64_t time_ms);
  // Removes the notification if it is active.
  void Remove(std::string_view text);
  std::vector<Notification> List() const;

  // Returns a stream of server-sent events: the active notifications, then each change, until
  // End(). Null if there are too many listeners, or after End(). The stream must not outlive the
  // notifications or what they belong to.
  std::unique_ptr<BodySource> Listen();
  // Ends all streams. Idempotent.
  void End();

 private:
  class Stream;

  // The events that one listener has not received yet.
  struct Listener {
    std::vector<Notification> unsent;
    bool needs_sign_of_life = false;
    std::function<void()> ready;  // null: it is not waiting
  };
  using Listeners = std::vector<std::shared_ptr<Listener>>;

  void Tell(const Notification& notification) LOCKSTEP_REQUIRES(mutex_);
  bool HasNews(const Listener& listener) const LOCKSTEP_REQUIRES(mutex_);
  void WakeThoseWithNews();
  void SendSignsOfLife();

  const std::chrono::milliseconds heartbeat_;
  mutable Mutex mutex_;
  CondVar ended_;
  bool has_ended_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<Notification> said_ LOCKSTEP_GUARDED_BY(mutex_);
  Listeners listeners_ LOCKSTEP_GUARDED_BY(mutex_);
  std::thread thread_ LOCKSTEP_GUARDED_BY(mutex_);  // started by the first listener
};

// [{"text": "...", "date": "...", "active": true}]
Response HandleNotifications(const Notifications& notifications);
// The same as a stream of events; 204 if there are too many listeners.
Response HandleLiveNotifications(Notifications& notifications);

}  // namespace lockstep::api
