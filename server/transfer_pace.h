// TransferPace: whether a client sends or takes enough in each window of time. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "server/http_limits.h"

namespace lockstep::server {

class TransferPace {
 public:
  explicit TransferPace(const HttpLimits& limits)
      : min_bytes_(std::max<uint64_t>(
            1, limits.min_transfer_bytes_per_second *
                   static_cast<uint64_t>(limits.slow_transfer_timeout.count()) / 1000)) {}

  // A window begins when so many bytes were transferred.
  void Begin(uint64_t bytes) { begin_bytes_ = bytes; }
  // At the end of a window: whether enough bytes were transferred in it. The next one begins.
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
