#include "storage/db/rewrite/shard_keeper.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/memory/free_memory.h"
#include "base/threads/processors.h"
#include "storage/db/rewrite/expiry.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

// How often the keeper checks the clock and the disk. The store's clock then decides what is due.
constexpr std::chrono::seconds kTick{1};
constexpr int64_t kDropEveryMs = 10 * 60 * 1000;
// Dropping by rules looks up the rows of every affected series.
constexpr int64_t kDropByRulesEveryMs = 60 * 60 * 1000;
// Merging takes at most a quarter of the thread's time: after a step it rests for three times as
// long. If that is not enough, more runs accumulate, more of them are merged at once, and then it
// is enough again.
constexpr int kRestsPerStep = 3;
constexpr std::chrono::minutes kRestAfterFailure{1};
// The hot space is compacted once its tables are this many times as large as what it still has.
constexpr uint64_t kMostHotTables = 4;
constexpr int32_t kMaxWindow = std::numeric_limits<int32_t>::max();

}  // namespace

ShardKeeper::ShardKeeper(ShardState& shard, ShardWriter& writer,
                         std::shared_ptr<RetentionClock> clock, RetentionRules retention,
                         uint64_t min_free_bytes)
    : shard_(shard),
      writer_(writer),
      clock_(std::move(clock)),
      retention_(std::move(retention)),
      min_free_bytes_(min_free_bytes) {}

ShardKeeper::~ShardKeeper() { Stop(); }

void ShardKeeper::Start() {
  thread_ = std::thread([this] { Run(); });
}

void ShardKeeper::Wake() {
  MutexLock lock(mutex_);
  wake_ = true;
  woken_.NotifyOne();
}

void ShardKeeper::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    woken_.NotifyAll();
  }
  Join();
}

void ShardKeeper::Finish(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  finish_by_ = std::chrono::steady_clock::now() + patience;
  stop_ = true;
  woken_.NotifyAll();
}

void ShardKeeper::Join() {
  if (thread_.joinable()) thread_.join();
}

bool ShardKeeper::must_give_up() {
  MutexLock lock(mutex_);
  if (!stop_) return false;
  return !finish_by_.has_value() || std::chrono::steady_clock::now() >= *finish_by_;
}

// While there is something to merge, for no longer than the rest between two steps.
bool ShardKeeper::WaitForTick() {
  const std::chrono::nanoseconds rest = next_merge_ - std::chrono::steady_clock::now();
  const bool rests = rest.count() > 0 && rest < kTick;
  MutexLock lock(mutex_);
  if (!stop_ && !wake_) woken_.WaitFor(mutex_, rests ? rest : kTick);
  wake_ = false;
  return !stop_;
}

void ShardKeeper::Run() {
  LowerThreadPriority();
  while (WaitForTick()) Tick();
  if (!must_give_up()) SealAtEnd();
}

void ShardKeeper::SealAtEnd() {
  WriteRecord(clock_->Record());
  absl::Status status = Seal();
  // Includes marks and rows of earlier work, so that the next start has no log to replay.
  if (status.ok()) status = shard_.kv->Flush();
  if (status.ok()) return;
  Log(LogLevel::kWarn,
      "sealing failed at shutdown; the next start replays the samples from the journal",
      {{"shard", shard_.folder}, {"why", status}});
}

// If a record is lost, the next open recovers from the samples, which tell what time it was.
void ShardKeeper::WriteRecord(const ClockRecord& record) {
  if (shard_.number != 0 || shard_.counters.read_only) return;
  const absl::Status status = WriteClockRecord(*shard_.kv, record);
  if (status.ok()) return;
  Log(LogLevel::kWarn, "writing the store's clock record failed", {{"why", status}});
}

// A writer that accepts no more tasks may still be processing its last writes. Its thread has
// certainly ended once the keeper is told to end too. Then nobody else changes the shard.
void ShardKeeper::OnWriter(const std::function<void()>& task) {
  if (writer_.RunTask([&task] { task(); })) return;
  {
    MutexLock lock(mutex_);
    while (!stop_) woken_.Wait(mutex_);
  }
  task();
}

void ShardKeeper::Tick() {
  {
    MutexLock lock(rows_mutex_);
    const absl::Status sealed = SealFrozen();
    if (!sealed.ok() && !absl::IsCancelled(sealed)) {
      Log(LogLevel::kWarn, "sealing failed and will be retried", {{"why", sealed}});
    }
  }
  OnWriter([this] {
    (void)writer_.CheckWritable();
    writer_.FreezeIfDue();
  });
  MergeIfDue();
  if (shard_.number == 0) {
    const std::optional<ClockRecord> record = clock_->TakeRecordIfDue();
    if (record.has_value()) WriteRecord(*record);
  }
  DropIfDue();
}

void ShardKeeper::DropIfDue() {
  const int64_t now_ms = clock_->Now().believed_ms;
  // A clock that was set back is no reason to wait longer.
  if (now_ms < next_drop_ms_ && next_drop_ms_ - now_ms <= kDropEveryMs) return;
  next_drop_ms_ = now_ms + kDropEveryMs;
  absl::Status dropped = DropWindows();
  const bool rules_wait =
      now_ms < next_drop_by_rules_ms_ && next_drop_by_rules_ms_ - now_ms <= kDropByRulesEveryMs;
  if (dropped.ok() && !rules_wait) {
    next_drop_by_rules_ms_ = now_ms + kDropByRulesEveryMs;
    dropped = DropByRules();
  }
  if (dropped.ok() || absl::IsCancelled(dropped)) return;
  Log(LogLevel::kWarn, "dropping expired samples failed", {{"why", dropped}});
}

absl::Status ShardKeeper::Seal() {
  MutexLock lock(rows_mutex_);
  LOCKSTEP_RETURN_IF_ERROR(SealFrozen());
  OnWriter([this] { writer_.Freeze(); });
  LOCKSTEP_RETURN_IF_ERROR(SealFrozen());
  // Deleted blocks are still in write buffers, logs and tables; from here on only the chunks stay
  // on disk.
  LOCKSTEP_RETURN_IF_ERROR(shard_.kv->Flush());
  return shard_.kv->Compact(kv::Space::kJournal, {});
}

absl::Status ShardKeeper::SealFrozen() {
  std::shared_ptr<const Head> head;
  uint64_t generation = 0;
  {
    ReaderLock lock(shard_.mutex);
    head = shard_.frozen;
    generation = shard_.frozen_generation;
  }
  if (head == nullptr) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(shard_.kv->Resume());
  LOCKSTEP_ASSIGN_OR_RETURN(const SealResult result,
                            SealHead(shard_, *head, generation, [this] { return must_give_up(); }));
  shard_.counters.sealed_chunks += result.chunk_count;
  shard_.counters.sealed_bytes += result.byte_count;
  OnWriter([&] { Publish(*head, generation, result); });
  head.reset();
  ReturnFreeMemory();
  LOCKSTEP_RETURN_IF_ERROR(DeleteSealedBlocks(*shard_.kv, generation));
  return FreeDeletedBlocks(*shard_.kv, generation);
}

// Later readers find the samples only in chunks.
void ShardKeeper::Publish(const Head& head, uint64_t generation, const SealResult& result) {
  const int64_t now_ms = clock_->Now().believed_ms;
  WriterLock lock(shard_.mutex);
  for (size_t slot = 0; slot < head.slot_count(); ++slot) {
    const SeriesId id = head.IdOfSlot(slot);
    if (head.Contains(id)) shard_.dictionary.RaiseSealedMax(id, head.LatestMs(id));
  }
  shard_.sealed_sequence = shard_.frozen_generation;
  for (const auto& [number, totals] : result.windows) {
    StoredWindow& window = shard_.windows[number];
    window.Add(kv::Tier::kHot, generation, totals);
    window.changed_ms = now_ms;
  }
  shard_.frozen = nullptr;
  ++shard_.seal_count;
}

void ShardKeeper::MergeIfDue() {
  const auto start = std::chrono::steady_clock::now();
  if (start < next_merge_) return;
  MutexLock lock(rows_mutex_);
  if (!PlanNext()) return;
  const absl::StatusOr<bool> done = StepOn();
  next_merge_ = start + (kRestsPerStep + 1) * (std::chrono::steady_clock::now() - start);
  if (done.ok() || absl::IsCancelled(done.status())) return;
  next_merge_ += kRestAfterFailure;
  Log(LogLevel::kWarn, "merging failed and will be retried",
      {{"shard", shard_.folder}, {"why", done.status()}});
}

// Whether there is a pass to continue.
bool ShardKeeper::PlanNext() {
  std::optional<MergePlan> plan;
  {
    ReaderLock lock(shard_.mutex);
    if (pass_.has_value() && pass_->IsValid(shard_.windows)) return true;
    pass_.reset();
    plan = PlanMerge(shard_.windows, clock_->Now().believed_ms);
  }
  if (!plan.has_value() || !HasRoomFor(*plan)) return false;
  pass_.emplace(shard_, *plan, [this] { return must_give_up(); });
  return true;
}

// Until compaction removes the old rows, old and new ones both take space.
bool ShardKeeper::HasRoomFor(const MergePlan& plan) {
  const absl::StatusOr<uint64_t> free_bytes = shard_.env->FreeBytes(shard_.folder);
  return free_bytes.ok() && *free_bytes >= 2 * plan.byte_count + min_free_bytes_;
}

// Runs one step of the pass; returns true if it was the last.
absl::StatusOr<bool> ShardKeeper::StepOn() {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t read_before = pass_->read_bytes(), written_before = pass_->written_bytes();
  const absl::StatusOr<bool> done = pass_->Step();
  ShardCounters& counters = shard_.counters;
  counters.merge_nanoseconds +=
      static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  counters.merge_read_bytes += pass_->read_bytes() - read_before;
  counters.merge_written_bytes += pass_->written_bytes() - written_before;
  if (!done.ok() || !*done) return done;
  const MergePass pass = *std::exchange(pass_, std::nullopt);
  OnWriter([&] {
    WriterLock lock(shard_.mutex);
    pass.Publish(shard_.windows);
  });
  ++counters.merge_count;
  if (pass.plan().target == kv::Tier::kCold) LOCKSTEP_RETURN_IF_ERROR(FreeHotSpace());
  return true;
}

// Frees the space of rows that went to the cold space, because nothing would overwrite it, once it
// is three quarters of the tables. A compaction writes all that is left in the hot space. So it
// writes a third of what went to the cold space since the last one, however many windows become
// cold. At its end it takes no more disk than one of half of the tables would: while a backlog of
// windows becomes cold, both need up to twice the hot tables.
absl::Status ShardKeeper::FreeHotSpace() {
  uint64_t left_bytes = 0;
  {
    ReaderLock lock(shard_.mutex);
    for (const auto& [number, window] : shard_.windows) left_bytes += window.hot_byte_count();
  }
  if (shard_.kv->TableBytes(kv::Space::kHot, kv::ChunkKeysBefore(kMaxWindow)) <
      kMostHotTables * left_bytes) {
    return absl::OkStatus();
  }
  return shard_.kv->Compact(kv::Space::kHot, {});
}

absl::Status ShardKeeper::Settle() {
  LOCKSTEP_RETURN_IF_ERROR(Seal());
  std::vector<int32_t> windows;
  {
    ReaderLock lock(shard_.mutex);
    for (const auto& [number, window] : shard_.windows) windows.push_back(number);
  }
  for (const int32_t window : windows) LOCKSTEP_RETURN_IF_ERROR(MergeToCold(window));
  return GiveSpaceBack();
}

absl::Status ShardKeeper::GiveSpaceBack() {
  LOCKSTEP_RETURN_IF_ERROR(shard_.kv->Flush());
  for (const kv::Space space : {kv::Space::kMeta, kv::Space::kSeries, kv::Space::kJournal,
                                kv::Space::kHot, kv::Space::kCold, kv::Space::kRollup}) {
    LOCKSTEP_RETURN_IF_ERROR(shard_.kv->Compact(space, {}));
  }
  return absl::OkStatus();
}

absl::Status ShardKeeper::MergeToCold(int32_t number) {
  while (true) {
    MutexLock lock(rows_mutex_);
    const bool is_under_way = pass_.has_value() && pass_->plan().window == number &&
                              pass_->plan().target == kv::Tier::kCold;
    {
      ReaderLock lock(shard_.mutex);
      const auto window = shard_.windows.find(number);
      if (window == shard_.windows.end() || window->second.hot.empty()) return absl::OkStatus();
      if (!is_under_way || !pass_->IsValid(shard_.windows)) {
        pass_.emplace(shard_, MergeAll(number, window->second), [this] { return must_give_up(); });
      }
    }
    LOCKSTEP_RETURN_IF_ERROR(StepOn().status());
  }
}

absl::Status ShardKeeper::Step(absl::FunctionRef<absl::Status()> step,
                               absl::FunctionRef<void()> publish) {
  MutexLock lock(rows_mutex_);
  LOCKSTEP_RETURN_IF_ERROR(SealFrozen());
  LOCKSTEP_RETURN_IF_ERROR(step());
  OnWriter([&] {
    WriterLock state_lock(shard_.mutex);
    publish();
    shard_.changes->Add(std::numeric_limits<int64_t>::min());
  });
  return absl::OkStatus();
}

absl::Status ShardKeeper::DropExpired() {
  LOCKSTEP_RETURN_IF_ERROR(DropWindows());
  return DropByRules();
}

// Counts before it releases the row lock, so that the next caller, which finds nothing to drop,
// sees what was dropped.
absl::Status ShardKeeper::DropWindows() {
  MutexLock lock(rows_mutex_);
  WindowTotals dropped;
  const int64_t oldest_ms = clock_->Now().expiry_ms - retention_.retention_ms();
  const absl::Status status = lockstep::DropBefore(shard_, writer_, oldest_ms, dropped);
  if (dropped.sample_count == 0) return status;
  shard_.counters.expired_samples += dropped.sample_count;
  Log(LogLevel::kInfo, "dropped expired samples",
      {{"shard", shard_.folder}, {"samples", dropped.sample_count}});
  return status;
}

absl::Status ShardKeeper::DropBefore(int64_t oldest_ms, WindowTotals& dropped) {
  MutexLock lock(rows_mutex_);
  return lockstep::DropBefore(shard_, writer_, oldest_ms, dropped);
}

}  // namespace lockstep
