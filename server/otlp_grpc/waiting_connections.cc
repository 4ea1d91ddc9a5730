#include "server/otlp_grpc/waiting_connections.h"

#include <utility>

#include "server/otlp_grpc/connection.h"

namespace lockstep::server {

uint64_t WaitingConnections::Add(std::weak_ptr<Connection> connection) {
  const MutexLock lock(mutex_);
  waiting_.emplace(next_number_, std::move(connection));
  return next_number_++;
}

void WaitingConnections::Remove(uint64_t number) {
  const MutexLock lock(mutex_);
  waiting_.erase(number);
}

bool WaitingConnections::CloseOldest() {
  std::shared_ptr<Connection> oldest;
  {
    const MutexLock lock(mutex_);
    // One that ends by itself leaves as soon as it gets the lock.
    while (oldest == nullptr && !waiting_.empty()) {
      oldest = waiting_.begin()->second.lock();
      waiting_.erase(waiting_.begin());
    }
  }
  if (oldest == nullptr) return false;
  oldest->Abort();
  return true;
}

}  // namespace lockstep::server
