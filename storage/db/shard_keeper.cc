#include "storage/db/shard_keeper.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "storage/db/retention.h"
#include "storage/db/seal.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

// How often it looks at the clock and the disk. What it then does depends on the store's clock.
constexpr std::chrono::seconds kTick{1};
constexpr int64_t kDropEveryMs = 10 * 60 * 1000;

}  // namespace

ShardKeeper::ShardKeeper(ShardState& shard, ShardWriter& writer, Clock now_ms, int64_t retention_ms)
    : shard_(shard), writer_(writer), now_ms_(std::move(now_ms)), retention_ms_(retention_ms) {}

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

bool ShardKeeper::WaitForTick() {
  MutexLock lock(mutex_);
  if (!stop_ && !wake_) woken_.WaitFor(mutex_, kTick);
  wake_ = false;
  return !stop_;
}

void ShardKeeper::Run() {
  while (WaitForTick()) Tick();
  if (!must_give_up()) SealAtEnd();
}

void ShardKeeper::SealAtEnd() {
  absl::Status status = Seal();
  // Marks and rows of earlier work too: the next start finds no log to replay.
  if (status.ok()) status = shard_.kv->Flush();
  if (status.ok()) return;
  Log(LogLevel::kWarn, "samples in memory stay in the journal, which the next start replays",
      {{"shard", shard_.folder}, {"why", status}});
}

// A writer that takes no tasks any more may still be at its last writes; that its thread has ended is
// certain once this one is told to end too. Then nobody else changes the shard.
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
    MutexLock lock(seal_mutex_);
    const absl::Status sealed = SealFrozen();
    if (!sealed.ok() && !absl::IsCancelled(sealed)) {
      Log(LogLevel::kWarn, "sealing failed and will be tried again", {{"why", sealed}});
    }
  }
  OnWriter([this] {
    if (shard_.counters.read_only) (void)writer_.CheckWritable();
    writer_.FreezeIfDue();
  });
  const int64_t now_ms = now_ms_();
  if (now_ms < next_drop_ms_) return;
  next_drop_ms_ = now_ms + kDropEveryMs;
  const absl::Status dropped = DropExpired();
  if (!dropped.ok()) Log(LogLevel::kWarn, "dropping expired samples failed", {{"why", dropped}});
}

absl::Status ShardKeeper::Seal() {
  MutexLock lock(seal_mutex_);
  LOCKSTEP_RETURN_IF_ERROR(SealFrozen());
  OnWriter([this] { writer_.Freeze(); });
  return SealFrozen();
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
  OnWriter([&] { Publish(*head, result.windows); });
  LOCKSTEP_RETURN_IF_ERROR(DeleteSealedBlocks(*shard_.kv, generation));
  // Deleted blocks are still in write buffers, logs and tables: now the disk holds the chunks alone.
  LOCKSTEP_RETURN_IF_ERROR(shard_.kv->Flush());
  return shard_.kv->Compact(kv::Space::kJournal, kv::JournalKeysUpTo(generation));
}

// Readers that come later find the samples in chunks alone.
void ShardKeeper::Publish(const Head& head, const Windows& windows) {
  WriterLock lock(shard_.mutex);
  for (size_t slot = 0; slot < head.slot_count(); ++slot) {
    const SeriesId id = head.IdOfSlot(slot);
    if (head.Contains(id)) shard_.dictionary.RaiseSealedMax(id, head.LatestMs(id));
  }
  for (const auto& [window, totals] : windows) shard_.windows[window].Add(totals);
  shard_.sealed_sequence = shard_.frozen_generation;
  shard_.frozen = nullptr;
  ++shard_.seal_count;
}

absl::Status ShardKeeper::DropExpired() {
  MutexLock lock(seal_mutex_);
  return lockstep::DropExpired(shard_, writer_, now_ms_() - retention_ms_);
}

}  // namespace lockstep
