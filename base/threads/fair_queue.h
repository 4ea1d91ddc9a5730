// FairQueue: first in, first out for each key, and the keys take turns: a client that queues many
// items only delays itself. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/string_map.h"

namespace lockstep {

template <typename T>
class FairQueue {
 public:
  bool empty() const { return turns_.empty(); }
  size_t size() const { return size_; }

  void Push(std::string_view key, T item) {
    std::deque<T>& queue = queues_[std::string(key)];
    if (queue.empty()) turns_.emplace_back(key);
    queue.push_back(std::move(item));
    ++size_;
  }

  // Precondition: not empty.
  T Pop() {
    const auto found = queues_.find(turns_.front());
    T item = std::move(found->second.front());
    found->second.pop_front();
    --size_;
    if (found->second.empty()) {
      queues_.erase(found);
    } else {
      turns_.push_back(std::move(turns_.front()));
    }
    turns_.pop_front();
    return item;
  }

 private:
  StringMap<std::deque<T>> queues_;  // those that are not empty
  std::deque<std::string> turns_;    // their keys; the next one first
  size_t size_ = 0;
};

}  // namespace lockstep
