// FairConnections: a server's connections, opened within the shares of their networks
// (server/limits/connection_shares.h). Tells connections to close when others need their place.
//
// Object is a connection: its constructor takes a waiting ConnectionShares::Lease as its last
// argument, and MakeRoom() closes it, from any thread, unless it is serving a request. Call Admit()
// and Open() only on the listener's thread; everything else is safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget/client_id.h"
#include "base/mutex.h"
#include "server/limits/connection_shares.h"

namespace lockstep::server {

// Counts a server's live connections and closes them. Safe from any thread.
template <typename Object>
class LiveObjects {
 public:
  // Makes an object that can be found by a unique number and is removed when its last owner
  // releases it; null once this is closed. Must outlive its objects.
  template <typename... Arguments>
  std::shared_ptr<Object> Open(uint64_t id, Arguments&&... arguments) {
    MutexLock lock(mutex_);
    if (closed_) return nullptr;
    std::shared_ptr<Object> object(new Object(std::forward<Arguments>(arguments)...),
                                   [this, id](Object* ended) {
                                     delete ended;
                                     Remove(id);
                                   });
    objects_.emplace(id, object);
    return object;
  }

  // Null if there is none.
  std::shared_ptr<Object> Find(uint64_t id) const {
    MutexLock lock(mutex_);
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second.lock();
  }

  // No objects can be made from now on.
  void Close() {
    MutexLock lock(mutex_);
    closed_ = true;
  }

  void ForEach(const std::function<void(Object&)>& visit) {
    // An object destroyed during a visit takes the lock to remove itself.
    std::vector<std::shared_ptr<Object>> alive;
    {
      MutexLock lock(mutex_);
      for (const auto& [id, object] : objects_) {
        if (auto owned = object.lock()) alive.push_back(std::move(owned));
      }
    }
    for (const auto& object : alive) visit(*object);
  }

  size_t size() const {
    MutexLock lock(mutex_);
    return objects_.size();
  }

  // Waits until no object is left, or until `patience` is over; returns false in the latter case.
  bool AwaitEmpty(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (!objects_.empty()) {
      const auto now = std::chrono::steady_clock::now();
      if (now >= deadline) return false;
      empty_.WaitFor(mutex_, deadline - now);
    }
    return true;
  }

  void AwaitEmpty() {
    MutexLock lock(mutex_);
    while (!objects_.empty()) empty_.Wait(mutex_);
  }

 private:
  void Remove(uint64_t id) {
    MutexLock lock(mutex_);
    objects_.erase(id);
    // Notify under the lock, because this may be destroyed as soon as it is released.
    if (objects_.empty()) empty_.NotifyAll();
  }

  mutable Mutex mutex_;
  CondVar empty_;
  bool closed_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::unordered_map<uint64_t, std::weak_ptr<Object>> objects_ LOCKSTEP_GUARDED_BY(mutex_);
};

template <typename Object>
class FairConnections {
 public:
  FairConnections(size_t max_open, size_t max_reserved) : shares_(max_open, max_reserved) {}

  void SetMaxOpen(size_t max_open) { shares_.SetMaxOpen(max_open); }

  // Whether a connection from that address may be opened; if so, call Open() immediately.
  bool Admit(const std::string& address) {
    ConnectionShares::Opened opened = shares_.Open(NetworkOfAddress(address));
    MakeRoom(opened.to_close);
    next_lease_ = std::move(opened.lease);
    return static_cast<bool>(next_lease_);
  }
  // Null once this is closed.
  template <typename... Arguments>
  std::shared_ptr<Object> Open(Arguments&&... arguments) {
    const uint64_t id = next_lease_.id();
    return alive_.Open(id, std::forward<Arguments>(arguments)..., std::move(next_lease_));
  }

  // Whether new connections should wait until those that are closing have closed.
  bool are_closing_many() const { return shares_.is_closing_many(); }
  // Closes the connection that has waited longest, because there are no file handles left.
  void MakeRoom() { MakeRoom(shares_.TakeLongestWaiting()); }

  LiveObjects<Object>& alive() { return alive_; }
  size_t size() const { return alive_.size(); }

 private:
  void MakeRoom(std::optional<uint64_t> lease) {
    if (!lease.has_value()) return;
    if (const std::shared_ptr<Object> object = alive_.Find(*lease)) object->MakeRoom();
  }

  ConnectionShares shares_;
  LiveObjects<Object> alive_;  // by lease number
  ConnectionShares::Lease next_lease_;
};

}  // namespace lockstep::server
