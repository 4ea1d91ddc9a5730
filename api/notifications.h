// Notifications: what the server has to say to whoever runs it, such as that its configuration
// could not be read again; and those who listen for that. Safe from any thread.
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

#include "api/http.h"
#include "base/mutex.h"

namespace lockstep::api {

struct Notification {
  std::string text;
  int64_t time_ms = 0;  // Unix
  bool active = true;
};

class Notifications {
 public:
  // As many as Prometheus allows.
  static constexpr size_t kMaxListeners = 16;

  // Between two signs of life to those who listen: one who has gone is noticed by them.
  explicit Notifications(std::chrono::milliseconds heartbeat = std::chrono::seconds(15))
      : heartbeat_(heartbeat) {}
  // Ends.
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  // Says `text`; once more if it is said already.
  void Add(std::string_view text, int64_t time_ms);
  // Takes it back, if it is said.
  void Remove(std::string_view text);
  std::vector<Notification> List() const;

  // Server-sent events: those that are said, then each change, until End(). Null if too many
  // listen, or after End(). What it gives out outlives neither the notifications nor what they
  // belong to.
  std::unique_ptr<BodySource> Listen();
  // Ends all streams. Idempotent.
  void End();

 private:
  class Stream;

  // What one listener has not been sent.
  struct Listener {
    std::vector<Notification> unsent;
    bool needs_sign_of_life = false;
    std::function<void()> ready;  // null: it does not wait
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
  std::thread thread_ LOCKSTEP_GUARDED_BY(mutex_);  // from the first listener on
};

// [{"text": "...", "date": "...", "active": true}]
Response HandleNotifications(const Notifications& notifications);
// The same as a stream of events; 204 if too many listen already.
Response HandleLiveNotifications(Notifications& notifications);

}  // namespace lockstep::api
