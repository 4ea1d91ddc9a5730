// ShardWriter: the only thread that changes a shard. It takes all queued requests, commits their
// samples in as few synced batches as the limits allow, then answers the requests. Small requests
// go before large ones, and between the batches of a large one, so they never wait for another
// client's large request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storage/db/retention/retention_clock.h"
#include "storage/db/retention/retention_rules.h"
#include "storage/db/state/shard_state.h"
#include "storage/db/write/pending_write.h"
#include "storage/db/write/write_group.h"
#include "storage/write.h"

namespace lockstep {

// One shard's part of a request.
struct QueuedWrite {
  std::vector<SeriesWrite> series;
  std::vector<KnownSample> known;
  std::vector<size_t> series_indices;  // over the whole request; empty: the same as here
  size_t byte_count = 0;               // approximate size in memory
  std::shared_ptr<PendingWrite> pending;
};

struct WriterLimits {
  size_t max_queue_requests = 0;
  size_t max_queue_bytes = 0;  // for large writes; small ones have the same limit again
  size_t head_bytes = 0;
  int64_t head_age_ms = 0;
  RetentionRules retention;
  std::shared_ptr<RetentionClock> clock;
  uint64_t min_free_bytes = 0;
};

// Public methods are safe from any thread, but Start() comes first and the destructor last.
class ShardWriter {
 public:
  using Task = absl::AnyInvocable<void()>;

  // `shard` must outlive the writer. `on_freeze` runs on the writer's thread when it froze a head.
  ShardWriter(ShardState& shard, const WriterLimits& limits, std::function<void()> on_freeze);
  ~ShardWriter();
  void Start();

  // Reserves room for one more request in the queue. kResourceExhausted if there is none,
  // kUnavailable while closing.
  absl::Status Reserve(size_t byte_count);
  // Gives back what Reserve() reserved.
  void Unreserve(size_t byte_count);
  // Precondition: Reserve(write.byte_count) succeeded.
  void Enqueue(QueuedWrite write);

  // Runs `task` on the writer's thread between two commits and waits for it; returns false if the
  // writer has stopped. Must not be called from the writer's own thread.
  bool RunTask(Task task);
  // Freezes the active head if it holds samples and no other head is frozen. Call it only from
  // tasks.
  void Freeze();
  // The same, but only if the head is full, ripe or old.
  void FreezeIfDue();
  // Whether writes would be accepted: checks the folder and the free space of its disk, and resumes
  // the store if it had failed. Call it only from tasks.
  absl::Status CheckWritable();

  // Answers queued requests, then ends the thread.
  void Stop() { End(State::kDraining); }
  // Ends the thread and answers queued requests with an error.
  void Abort() { End(State::kAborting); }

 private:
  enum class State { kIdle, kRunning, kDraining, kAborting, kStopped };
  struct Work {
    std::vector<Task> tasks;
    std::vector<QueuedWrite> writes;
    bool aborted = false;  // refuse the writes
    bool stop = false;
  };
  // A request whose answer waits for the commit of its samples.
  struct Answer {
    std::shared_ptr<PendingWrite> pending;
    WriteOutcome outcome;
    uint64_t out_of_order_count = 0;
    absl::Status status;
    bool is_complete = false;  // all its series were added
  };

  // Which times are accepted for a series with this retention.
  struct TimeLimits {
    TimeRange accepted;
    int64_t keep_ms = 0;
  };

  size_t& ReservedBytes(size_t byte_count) LOCKSTEP_REQUIRES(mutex_);
  void Run();
  Work NextWork();
  void End(State state);
  bool IsFull(const Head& head) const;
  bool IsRipe(const Head& head) const;
  bool IsBlocked() const;
  bool IsFreezeDue() const;
  absl::Status CheckRoom() const;
  void Process(std::vector<QueuedWrite>& writes);
  void AddWrites(std::span<const QueuedWrite> writes, const absl::Status& writable);
  void CommitIfFull();
  void AddSmallWrites();
  std::vector<QueuedWrite> TakeSmallWrites();
  void TellClock(const std::vector<QueuedWrite>& writes);
  TimeLimits LimitsOf(int64_t keep_ms) const;
  TimeLimits LimitsOf(const SeriesWrite& write) const;
  TimeLimits LimitsOf(const KnownSample& sample) const;
  void AddWrite(const QueuedWrite& write);
  void AddKnown(std::span<const KnownSample> samples);
  void AddLeft(const KnownSample& sample);
  void Count(const SliceCounts& counts);
  void AddSeries(const SeriesWrite& write, size_t series_index);
  absl::Status AddSlices(const SeriesWrite& write, TimeRange accepted, SliceCounts& counts);
  void Commit();
  void Respond(Answer answer);

  ShardState& shard_;
  const WriterLimits limits_;
  const Clock now_ms_;  // the believed time
  const std::function<void()> on_freeze_;

  // Used by the writer thread only.
  WriteGroup group_;
  std::vector<Answer> answers_;  // samples are being added to the last one
  std::vector<KnownSample> left_;
  bool gives_way_ = false;  // a large write is being added
  int64_t head_began_ms_ = 0;
  StoreTime batch_time_;
  TimeLimits limits_of_all_;  // those of series without a rule, at this moment

  Mutex mutex_;
  CondVar work_;
  State state_ LOCKSTEP_GUARDED_BY(mutex_) = State::kIdle;
  std::vector<QueuedWrite> queue_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<Task> tasks_ LOCKSTEP_GUARDED_BY(mutex_);
  size_t reserved_requests_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  size_t reserved_large_bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  size_t reserved_small_bytes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;

  std::thread thread_;
};

}  // namespace lockstep
