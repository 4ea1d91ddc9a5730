// ShardKeeper: the thread that looks after a shard while its writer writes: it seals frozen heads,
// lets old ones be frozen, merges the runs of windows, drops what is older than the retention, and asks
// every second whether writes can be taken, or taken again.
//
// Whoever changes stored rows holds `rows_mutex_`: a seal or a drop for as long as it takes, a merge or
// an erasure for one step. So a frozen head never waits for more than a step, and reading needs no lock: what is
// stored is right at any moment (merge_pass.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "model/matcher.h"
#include "storage/db/merge_pass.h"
#include "storage/db/retention_clock.h"
#include "storage/db/retention_rules.h"
#include "storage/db/row_steps.h"
#include "storage/db/seal.h"
#include "storage/db/shard_state.h"
#include "storage/db/shard_writer.h"

namespace lockstep {

// Public methods are safe from any thread but the writer's, except that Wake() may come from there
// too. Start() comes first and the destructor last. Whoever stops the writer stops the keeper next.
class ShardKeeper : private RowSteps {
 public:
  // Both must outlive the keeper. That of the store's first shard writes the clock's record.
  ShardKeeper(ShardState& shard, ShardWriter& writer, std::shared_ptr<RetentionClock> clock,
              RetentionRules retention, uint64_t min_free_bytes);
  ~ShardKeeper() override;
  void Start();
  // A head was frozen.
  void Wake();
  // Gives a running seal up at its next batch and ends the thread: what a crash would leave.
  void Stop();
  // Lets the thread seal all that is in memory and end. Once `patience` is over it gives up at its
  // next batch, as it does when the disk refuses: then the journal keeps what is in no chunk. Does not
  // wait; Join() does. Precondition of this and of Stop(): the writer has stopped.
  void Finish(std::chrono::milliseconds patience);
  void Join();

  // As RowSteps says.
  absl::Status Seal() override;
  // Seals and merges every window to one cold run, and gives the disk space back.
  absl::Status Settle();
  // Drops what is older than the retention.
  absl::Status DropExpired();
  // Drops every window that ends before `oldest_ms`, and adds what they held to `dropped`.
  absl::Status DropBefore(int64_t oldest_ms, WindowTotals& dropped);
  // As DeleteSamples() says.
  absl::Status Erase(std::span<const std::vector<Matcher>> matcher_sets, TimeRange range);
  // Gives back the disk space of what was deleted.
  absl::Status GiveSpaceBack();

 private:
  void Run();
  void Tick();
  bool WaitForTick();
  bool must_give_up() override;
  absl::Status CheckRoom() const override;
  absl::StatusOr<bool> Step(absl::FunctionRef<absl::StatusOr<bool>()> step,
                            absl::FunctionRef<void()> publish) override;
  absl::Status ForgetEmptySeries() override;
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
  absl::Status MergeToCold(int32_t window);
  absl::Status DropWindows();
  absl::Status DropByRules();

  ShardState& shard_;
  ShardWriter& writer_;
  const std::shared_ptr<RetentionClock> clock_;
  const RetentionRules retention_;
  const uint64_t min_free_bytes_;

  // The keeper thread's own.
  int64_t next_drop_ms_ = kNoTimeMs;
  int64_t next_drop_by_rules_ms_ = kNoTimeMs;
  std::chrono::steady_clock::time_point next_merge_;

  Mutex rules_mutex_;  // held while something is dropped by rules; taken first
  Mutex rows_mutex_;
  std::optional<MergePass> pass_ LOCKSTEP_GUARDED_BY(rows_mutex_);  // under way

  Mutex mutex_;
  CondVar woken_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  // Set by Finish(): until when the thread may seal.
  std::optional<std::chrono::steady_clock::time_point> finish_by_ LOCKSTEP_GUARDED_BY(mutex_);
  bool wake_ LOCKSTEP_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace lockstep
