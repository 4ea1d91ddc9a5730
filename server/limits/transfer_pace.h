// TransferPace: checks whether a client sends or receives enough in each time window. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "server/limits/http_limits.h"

namespace lockstep::server {

class TransferPace {
 public:
  explicit TransferPace(const HttpLimits& limits)
      : min_bytes_(std::max<uint64_t>(
            1, limits.min_transfer_bytes_per_second *
                   static_cast<uint64_t>(limits.slow_transfer_timeout.count()) / 1000)) {}

  // Begins a window, with this many bytes transferred so far.
  void Begin(uint64_t bytes) { begin_bytes_ = bytes; }
  // Ends a window and begins the next. Returns whether enough bytes were transferred in it.
  bool KeepsUp(uint64_t bytes) {
    const uint64_t before = begin_bytes_;
    begin_bytes_ = bytes;
    return bytes >= before + min_bytes_;
  }

 private:
  const uint64_t min_bytes_;
  uint64_t begin_bytes_ = 0;
};

}  // namespace lockstep::server
