// SessionRegistry: the sessions that are alive, to count them and to end them. Safe from any
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "server/session.h"

namespace lockstep::server {

class SessionRegistry {
 public:
  // Makes a session that leaves the registry when its last owner lets go of it; null if the
  // registry is closed. The registry outlives its sessions.
  std::shared_ptr<Session> Open(const SessionShared& shared, std::unique_ptr<Transport> transport);

  // No session is made from now on.
  void Close();
  void ForEach(const std::function<void(Session&)>& visit);
  size_t size() const;
  // Waits until no session is left, or `patience` is over; false in the latter case.
  bool AwaitEmpty(std::chrono::milliseconds patience);
  void AwaitEmpty();

 private:
  void Remove(uint64_t id);

  mutable Mutex mutex_;
  CondVar empty_;
  bool closed_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, std::weak_ptr<Session>> sessions_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::server
