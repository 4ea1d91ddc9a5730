// FloodGuard: detects connections that cause work without making calls, beyond what a client has
// reason to: resets of streams (CVE-2023-44487 and similar), and frames without content. Two token
// buckets. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>

#include "server/otlp_grpc/grpc_limits.h"

namespace lockstep::server {

class FloodGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  FloodGuard(const Http2Limits& limits, Time now)
      : limits_(limits),
        resets_left_(limits.max_resets),
        idle_frames_left_(limits.max_idle_frames),
        now_(now) {}

  // Refills the buckets for the elapsed time.
  void Advance(Time now) {
    const double seconds = std::chrono::duration<double>(now - now_).count();
    now_ = now;
    resets_left_ = std::min(limits_.max_resets, resets_left_ + seconds * limits_.resets_per_second);
    Fill(seconds * limits_.idle_frames_per_second);
  }

  void CountReset() { resets_left_ -= 1; }
  void CountIdleFrame() { idle_frames_left_ -= 1; }
  void CountAnsweredCall() { Fill(limits_.idle_frames_per_call); }

  bool is_flooded() const { return resets_left_ < 0 || idle_frames_left_ < 0; }

 private:
  void Fill(double idle_frames) {
    idle_frames_left_ = std::min(limits_.max_idle_frames, idle_frames_left_ + idle_frames);
  }

  const Http2Limits& limits_;
  double resets_left_;
  double idle_frames_left_;
  Time now_;
};

}  // namespace lockstep::server
