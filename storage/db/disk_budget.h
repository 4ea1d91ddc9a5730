// DiskBudget: keeps the disk usage of a store below a limit: while the store exceeds it, the oldest
// window of all shards is dropped.
//
//   tables in use and logs   of all shards: samples, dictionary, journal. Tables that a compaction
//                            is writing or that only a reader still has are not counted: they come
//                            and go by themselves. Neither are snapshots and backups: dropping does
//                            not make them smaller.
//   - rows already dropped   that tables hold until the next compaction
//   = compared with the budget, so that no second window is dropped for bytes that will be freed
//     anyway
//
// The window being written is never dropped. If the store exceeds the limit without any other
// window, the log says so now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storage/db/shard.h"

namespace lockstep {

// The oldest and the newest window with samples, in memory or stored, over all shards.
struct WindowSpan {
  int32_t oldest = 0;
  int32_t newest = 0;
};

// The window to drop, if any may be dropped: the oldest one, unless it is the newest one, the
// current one or a future one. Pure.
std::optional<int32_t> WindowToDrop(std::optional<WindowSpan> windows, int32_t window_of_now);

// Call Start() and Stop() once, in this order; the others are safe from any thread.
class DiskBudget {
 public:
  // `shards` must outlive it. `max_bytes` 0: no limit.
  DiskBudget(const std::vector<std::unique_ptr<Shard>>& shards, uint64_t max_bytes, Clock now_ms)
      : shards_(shards), max_bytes_(max_bytes), now_ms_(std::move(now_ms)) {}
  ~DiskBudget() { Stop(); }

  // Starts a thread that checks every few seconds, if there is a limit.
  void Start();
  // Ends the thread after its current step.
  void Stop();

  // Checks now and drops windows as needed. Returns when the store fits or nothing more may be
  // dropped.
  absl::Status Keep();

  // The size that is compared with the limit.
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

  Mutex keeping_;  // one check at a time
  std::optional<std::chrono::steady_clock::time_point> warned_ LOCKSTEP_GUARDED_BY(keeping_);

  Mutex mutex_;
  CondVar changed_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace lockstep
