#include "server/session_registry.h"

#include <utility>
#include <vector>

namespace lockstep::server {

std::shared_ptr<Session> SessionRegistry::Open(const SessionShared& shared,
                                               std::unique_ptr<Transport> transport) {
  MutexLock lock(mutex_);
  if (closed_) return nullptr;
  const uint64_t id = next_id_++;
  std::shared_ptr<Session> session(new Session(shared, std::move(transport)),
                                   [this, id](Session* ended) {
                                     delete ended;
                                     Remove(id);
                                   });
  sessions_.emplace(id, session);
  return session;
}

void SessionRegistry::Remove(uint64_t id) {
  MutexLock lock(mutex_);
  sessions_.erase(id);
  // Notified under the lock: the registry may be gone as soon as it is released.
  if (sessions_.empty()) empty_.NotifyAll();
}

void SessionRegistry::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
}

void SessionRegistry::ForEach(const std::function<void(Session&)>& visit) {
  // A session that ends while it is visited takes the lock to leave.
  std::vector<std::shared_ptr<Session>> alive;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, session] : sessions_) {
      if (auto owned = session.lock()) alive.push_back(std::move(owned));
    }
  }
  for (const auto& session : alive) visit(*session);
}

size_t SessionRegistry::size() const {
  MutexLock lock(mutex_);
  return sessions_.size();
}

bool SessionRegistry::AwaitEmpty(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!sessions_.empty()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return false;
    empty_.WaitFor(mutex_, deadline - now);
  }
  return true;
}

void SessionRegistry::AwaitEmpty() {
  MutexLock lock(mutex_);
  while (!sessions_.empty()) empty_.Wait(mutex_);
}

}  // namespace lockstep::server
