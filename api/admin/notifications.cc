#include "api/admin/notifications.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "api/http/json_writer.h"
#include "api/http/reply.h"
#include "base/utc_text.h"

namespace lockstep::api {
namespace {

// A listener that does not receive its notifications keeps at most this many.
constexpr size_t kMaxUnsent = 100;

void Write(const Notification& notification, JsonWriter& json) {
  json.BeginObject();
  json.Field("text", notification.text);
  json.Field("date", Rfc3339Text(notification.time_ms));
  json.Field("active", notification.active);
  json.EndObject();
}

}  // namespace

class Notifications::Stream final : public BodySource {
 public:
  Stream(Notifications& notifications, std::shared_ptr<Listener> listener)
      : notifications_(notifications), listener_(std::move(listener)) {}
  ~Stream() override {
    const MutexLock lock(notifications_.mutex_);
    std::erase(notifications_.listeners_, listener_);
  }

  void Await(std::function<void()> ready) override {
    {
      const MutexLock lock(notifications_.mutex_);
      listener_->ready = std::move(ready);
    }
    notifications_.WakeThoseWithNews();
  }

  absl::StatusOr<bool> Next(std::string& out) override {
    const MutexLock lock(notifications_.mutex_);
    if (std::exchange(listener_->needs_sign_of_life, false)) out += ":\n\n";
    for (const Notification& notification : listener_->unsent) {
      out += "data: ";
      JsonWriter json(out);
      Write(notification, json);
      out += "\n\n";
    }
    listener_->unsent.clear();
    return !notifications_.has_ended_;
  }

 private:
  Notifications& notifications_;
  const std::shared_ptr<Listener> listener_;
};

Notifications::~Notifications() {
  End();
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void Notifications::Add(std::string_view text, int64_t time_ms) {
  {
    const MutexLock lock(mutex_);
    auto said = std::find_if(said_.begin(), said_.end(),
                             [text](const Notification& one) { return one.text == text; });
    if (said == said_.end()) said = said_.insert(said, {std::string(text), 0, true});
    said->time_ms = time_ms;
    Tell(*said);
  }
  WakeThoseWithNews();
}

void Notifications::Remove(std::string_view text) {
  {
    const MutexLock lock(mutex_);
    const auto said = std::find_if(said_.begin(), said_.end(),
                                   [text](const Notification& one) { return one.text == text; });
    if (said == said_.end()) return;
    said->active = false;
    Tell(*said);
    said_.erase(said);
  }
  WakeThoseWithNews();
}

std::vector<Notification> Notifications::List() const {
  const MutexLock lock(mutex_);
  return said_;
}

std::unique_ptr<BodySource> Notifications::Listen() {
  const MutexLock lock(mutex_);
  if (has_ended_ || listeners_.size() >= kMaxListeners) return nullptr;
  auto listener = std::make_shared<Listener>();
  listener->unsent = said_;
  listeners_.push_back(listener);
  if (!thread_.joinable()) thread_ = std::thread([this] { SendSignsOfLife(); });
  return std::make_unique<Stream>(*this, std::move(listener));
}

void Notifications::End() {
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    ended_.NotifyAll();
  }
  WakeThoseWithNews();
}

void Notifications::Tell(const Notification& notification) {
  for (const std::shared_ptr<Listener>& listener : listeners_) {
    if (listener->unsent.size() < kMaxUnsent) listener->unsent.push_back(notification);
  }
}

bool Notifications::HasNews(const Listener& listener) const {
  return has_ended_ || listener.needs_sign_of_life || !listener.unsent.empty();
}

// Called without the lock, because the callback may ask for more or release the stream.
void Notifications::WakeThoseWithNews() {
  std::vector<std::function<void()>> ready;
  {
    const MutexLock lock(mutex_);
    for (const std::shared_ptr<Listener>& listener : listeners_) {
      if (listener->ready && HasNews(*listener)) {
        ready.push_back(std::exchange(listener->ready, nullptr));
      }
    }
  }
  for (const std::function<void()>& call : ready) call();
}

void Notifications::SendSignsOfLife() {
  pthread_setname_np(pthread_self(), "notifications");
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (!has_ended_) ended_.WaitFor(mutex_, heartbeat_);
      if (has_ended_) return;
      for (const std::shared_ptr<Listener>& listener : listeners_) {
        listener->needs_sign_of_life = true;
      }
    }
    WakeThoseWithNews();
  }
}

Response HandleNotifications(const Notifications& notifications) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginArray();
    for (const Notification& notification : notifications.List()) Write(notification, json);
    json.EndArray();
  });
}

Response HandleLiveNotifications(Notifications& notifications) {
  std::unique_ptr<BodySource> stream = notifications.Listen();
  if (stream == nullptr) return NoContentReply();
  Response response;
  response.content_type = std::string(kEventStream);
  response.headers.push_back({"Cache-Control", "no-cache"});
  response.rest = std::move(stream);
  return response;
}

}  // namespace lockstep::api
