// LiveObjects: the connections of a server that are alive, to count them and to end them. Safe from
// any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace lockstep::server {

template <typename Object>
class LiveObjects {
 public:
  // Makes an object that leaves when its last owner lets go of it; null once this is closed. This
  // outlives its objects.
  template <typename... Arguments>
  std::shared_ptr<Object> Open(Arguments&&... arguments) {
    return OpenAs(next_id_.fetch_add(1), std::forward<Arguments>(arguments)...);
  }

  // Likewise, to be found by a number that no other has.
  template <typename... Arguments>
  std::shared_ptr<Object> OpenAs(uint64_t id, Arguments&&... arguments) {
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

  // No object is made from now on.
  void Close() {
    MutexLock lock(mutex_);
    closed_ = true;
  }

  void ForEach(const std::function<void(Object&)>& visit) {
    // An object that ends while it is visited takes the lock to leave.
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

  // Waits until no object is left, or `patience` is over; false in the latter case.
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
    // Notified under the lock: this may be gone as soon as it is released.
    if (objects_.empty()) empty_.NotifyAll();
  }

  mutable Mutex mutex_;
  CondVar empty_;
  bool closed_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::atomic<uint64_t> next_id_{0};
  std::unordered_map<uint64_t, std::weak_ptr<Object>> objects_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::server
