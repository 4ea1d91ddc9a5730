// DiskBudget: keeps what a store takes on disk below a limit: while it takes more, the oldest window of
// all shards is dropped.
//
//   tables in use and logs   of all shards: samples, dictionary, journal. Not counted are tables that a
//                            compaction is writing or that only a reader still has: they come and go by
//                            themselves. Nor snapshots and backups: dropping makes none of them smaller.
//   - rows already dropped   that tables hold until a compaction comes by
//   = what the budget is compared with, so that no second window is dropped for bytes that are on their
//     way already
//
// The window that is being written is never dropped. If the rest does not fit without it either, the log
// says so now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/db/clock.h"
#include "storage/db/shard.h"

namespace lockstep {

// The numbers of windows with samples, in memory or stored, of all shards.
struct WindowSpan {
  int32_t oldest = 0;
  int32_t newest = 0;
};

// The window that makes room, if any may be dropped: the oldest, unless it is the newest or that of now
// or later. Pure.
std::optional<int32_t> WindowToDrop(std::optional<WindowSpan> windows, int32_t window_of_now);

// Start() and Stop() come once, in this order; the others are safe from any thread.
class DiskBudget {
 public:
  // `shards` must outlive it. `max_bytes` 0: no limit.
  DiskBudget(const std::vector<std::unique_ptr<Shard>>& shards, uint64_t max_bytes, Clock now_ms)
      : shards_(shards), max_bytes_(max_bytes), now_ms_(std::move(now_ms)) {}
  ~DiskBudget() { Stop(); }

  // Looks every few seconds from now on, on a thread of its own, if there is a limit.
  void Start();
  // Ends the thread, after the step that it is at.
  void Stop();

  // Looks now, and drops what has to go. Returns when it fits or nothing more may be dropped.
  absl::Status Keep();

  // What is compared with the limit.
  absl::StatusOr<uint64_t> UsedBytes() const;
  uint64_t dropped_samples() const { return dropped_samples_; }

 private:
  void Run();
  bool WaitForNextLook();
  std::optional<WindowSpan> SpanOfWindows() const;
  absl::Status SealSamplesUpTo(int32_t window) LOCKSTEP_REQUIRES(keeping_);
  absl::Status Drop(int32_t window, uint64_t used_bytes) LOCKSTEP_REQUIRES(keeping_);
  absl::Status FreeDropped(int32_t first_kept) LOCKSTEP_REQUIRES(keeping_);
  void Warn(uint64_t used_bytes) LOCKSTEP_REQUIRES(keeping_);

  const std::vector<std::unique_ptr<Shard>>& shards_;
  const uint64_t max_bytes_;
  const Clock now_ms_;
  std::atomic<uint64_t> dropped_samples_{0};

  Mutex keeping_;  // one look at a time
  std::optional<std::chrono::steady_clock::time_point> warned_ LOCKSTEP_GUARDED_BY(keeping_);

  Mutex mutex_;
  CondVar changed_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace lockstep
