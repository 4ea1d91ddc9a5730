// WaitingConnections: the connections that have not brought a whole call yet, in the order in which
// they came. When the door is full the oldest of them makes room, so that connections which only
// wait keep nobody out. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"

namespace lockstep::server {

class Connection;

class WaitingConnections {
 public:
  // Returns the number to remove it by.
  uint64_t Add(std::weak_ptr<Connection> connection);
  // Does nothing if it is not there any more.
  void Remove(uint64_t number);
  // Closes the oldest; false if there is none.
  bool CloseOldest();

 private:
  Mutex mutex_;
  uint64_t next_number_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::weak_ptr<Connection>> waiting_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::server
