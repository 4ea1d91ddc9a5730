// ShardKeeper: the thread that maintains a shard while its writer writes: it seals frozen heads,
// has old heads frozen, merges the runs of windows, drops what is older than the retention, and
// checks every second whether writes can be accepted, or accepted again. It also deletes samples on
// demand (shard_keeper_erase.cc).
//
// Any thread that changes stored rows holds `rows_mutex_`: a seal or a drop for its whole duration,
// a merge or an erasure for one step. So a frozen head never waits longer than one step. Reading
// needs no lock, because what is stored is correct at any moment (merge_pass.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"
#include "base/status.h"
#include "model/matcher.h"
#include "storage/db/retention/retention_clock.h"
#include "storage/db/retention/retention_rules.h"
#include "storage/db/rewrite/eraser.h"
#include "storage/db/rewrite/merge_pass.h"
#include "storage/db/rewrite/seal.h"
#include "storage/db/state/shard_state.h"
#include "storage/db/write/shard_writer.h"

namespace lockstep {

// Public methods are safe from any thread except the writer's, which may only call Wake(). Start()
// comes first and the destructor last. A caller that stops the writer stops the keeper next.
class ShardKeeper {
 public:
  // Both must outlive the keeper. The keeper of the store's first shard writes the clock's record.
  ShardKeeper(ShardState& shard, ShardWriter& writer, std::shared_ptr<RetentionClock> clock,
              RetentionRules retention, uint64_t min_free_bytes);
  ~ShardKeeper();
  void Start();
  // Call it when a head was frozen.
  void Wake();
  // Abandons a running seal at its next batch and ends the thread, which leaves the state of a
  // crash.
  void Stop();
  // Lets the thread seal everything in memory and end. Once `patience` is over it gives up at its
  // next batch, as it does when the disk refuses a write: the journal then keeps what is in no
  // chunk. Does not wait; Join() does. Precondition of this and of Stop(): the writer has stopped.
  void Finish(std::chrono::milliseconds patience);
  void Join();

  // Seals what is frozen already, then freezes and seals the content of the active head.
  absl::Status Seal();
  // Seals, merges every window into one cold run, and gives disk space back.
  absl::Status Settle();
  // Drops what is older than the retention.
  absl::Status DropExpired();
  // Drops every window that ends before `oldest_ms`, and adds its totals to `dropped`.
  absl::Status DropBefore(int64_t oldest_ms, WindowTotals& dropped);
  // Deletes the samples in the range of the series that match all matchers of one of the sets: all
  // samples that were acknowledged before the call, and possibly some that are written meanwhile.
  // Series that have none left are forgotten. kUnavailable if the disk is too full; then, as after
  // any failure, part of the work may be done.
  absl::Status Erase(std::span<const std::vector<Matcher>> matcher_sets, TimeRange range);
  // Gives back the disk space of deleted rows.
  absl::Status GiveSpaceBack();

 private:
  void Run();
  void Tick();
  bool WaitForTick();
  // Once true, work has to stop at its next batch.
  bool must_give_up();
  absl::Status CheckRoom() const;
  // Runs one step of long work on stored rows. If a frozen head is waiting, it is sealed first,
  // because many steps in a row may leave the keeper's thread no chance. If the step succeeds,
  // `publish` runs on the writer's thread, holding the shard's lock.
  absl::Status Step(absl::FunctionRef<absl::Status()> step, absl::FunctionRef<void()> publish);
  void SealAtEnd();
  void WriteRecord(const ClockRecord& record);
  void DropIfDue();
  void OnWriter(const std::function<void()>& task);
  absl::Status SealFrozen() LOCKSTEP_REQUIRES(rows_mutex_);
  void Publish(const Head& head, uint64_t generation, const SealResult& result);
  void MergeIfDue();
  bool PlanNext() LOCKSTEP_REQUIRES(rows_mutex_);
  bool HasRoomFor(const MergePlan& plan);
  absl::StatusOr<bool> StepOn() LOCKSTEP_REQUIRES(rows_mutex_);
  absl::Status FreeHotSpace();
  absl::Status MergeToCold(int32_t window);
  absl::Status DropWindows();
  absl::Status DropByRules();
  absl::StatusOr<uint64_t> EraseFromChunks(const std::vector<SeriesBlock>& blocks, TimeRange range);
  absl::Status FindNewestSamples(const std::vector<SeriesBlock>& blocks);
  absl::Status ForgetEmptySeries();

  ShardState& shard_;
  ShardWriter& writer_;
  const std::shared_ptr<RetentionClock> clock_;
  const RetentionRules retention_;
  const uint64_t min_free_bytes_;

  // Used by the keeper's thread only.
  int64_t next_drop_ms_ = kNoTimeMs;
  int64_t next_drop_by_rules_ms_ = kNoTimeMs;
  std::chrono::steady_clock::time_point next_merge_;

  Mutex rules_mutex_;  // held while rules drop samples; taken first
  Mutex rows_mutex_;
  std::optional<MergePass> pass_ LOCKSTEP_GUARDED_BY(rows_mutex_);  // the current pass

  Mutex mutex_;
  CondVar woken_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  // Set by Finish(): how long the thread may seal.
  std::optional<std::chrono::steady_clock::time_point> finish_by_ LOCKSTEP_GUARDED_BY(mutex_);
  bool wake_ LOCKSTEP_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace lockstep
