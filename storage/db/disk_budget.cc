#include "storage/db/disk_budget.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/utc_text.h"
#include "storage/db/rows/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

// A look asks RocksDB for its files. What arrives between two looks is small compared with a
// budget.
constexpr std::chrono::seconds kLookEvery{10};
constexpr std::chrono::minutes kWarnEvery{10};
constexpr kv::Space kChunkSpaces[] = {kv::Space::kHot, kv::Space::kCold, kv::Space::kRollup};

void Widen(std::optional<WindowSpan>& span, int32_t oldest, int32_t newest) {
  if (!span.has_value()) span = {oldest, newest};
  span->oldest = std::min(span->oldest, oldest);
  span->newest = std::max(span->newest, newest);
}

void Widen(std::optional<WindowSpan>& span, const Head* head) {
  if (head == nullptr || head->sample_count() == 0) return;
  Widen(span, WindowOf(head->range().min_ms), WindowOf(head->range().max_ms));
}

std::optional<WindowSpan> SpanOf(const ShardState& shard) {
  std::optional<WindowSpan> span;
  ReaderLock lock(shard.mutex);
  Widen(span, shard.active.get());
  Widen(span, shard.frozen.get());
  if (!shard.windows.empty()) {
    Widen(span, shard.windows.begin()->first, shard.windows.rbegin()->first);
  }
  return span;
}

bool HasInMemoryUpTo(const ShardState& shard, int32_t window) {
  std::optional<WindowSpan> span;
  ReaderLock lock(shard.mutex);
  Widen(span, shard.active.get());
  Widen(span, shard.frozen.get());
  return span.has_value() && span->oldest <= window;
}

// The bytes that the shard takes, without the rows of windows before the first one that it knows:
// those were dropped.
absl::StatusOr<uint64_t> UsedBytesOf(const ShardState& shard) {
  int32_t first_stored = WindowOf(kStorableTimes.max_ms);
  {
    ReaderLock lock(shard.mutex);
    if (!shard.windows.empty()) first_stored = shard.windows.begin()->first;
  }
  uint64_t dropped_bytes = 0;
  for (const kv::Space space : kChunkSpaces) {
    dropped_bytes += shard.kv->TableBytes(space, kv::ChunkKeysBefore(first_stored));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t bytes, shard.kv->UsedBytes());
  return bytes - std::min(bytes, dropped_bytes);
}

// "2026-01-02T04:00Z"
std::string HourName(int64_t time_ms) { return UtcText("%E4Y-%m-%dT%H:00Z", time_ms); }

}  // namespace

std::optional<int32_t> WindowToDrop(std::optional<WindowSpan> windows, int32_t window_of_now) {
  if (!windows.has_value()) return std::nullopt;
  if (windows->oldest >= std::min(windows->newest, window_of_now)) return std::nullopt;
  return windows->oldest;
}

void DiskBudget::Start() {
  if (max_bytes_ > 0) thread_ = std::thread([this] { Run(); });
}

void DiskBudget::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

bool DiskBudget::WaitForNextLook() {
  MutexLock lock(mutex_);
  if (!stop_) changed_.WaitFor(mutex_, kLookEvery);
  return !stop_;
}

void DiskBudget::Run() {
  while (WaitForNextLook()) {
    const absl::Status status = Keep();
    if (!status.ok()) {
      Log(LogLevel::kWarn, "enforcing storage.max-bytes failed and will be retried",
          {{"why", status}});
    }
  }
}

absl::Status DiskBudget::Keep() {
  MutexLock keeping(keeping_);
  std::optional<int32_t> dropped;
  bool is_flushed = false;
  while (max_bytes_ > 0) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t used_bytes, UsedBytes());
    if (used_bytes <= max_bytes_) break;
    const std::optional<int32_t> window = WindowToDrop(SpanOfWindows(), WindowOf(now_ms_()));
    if (!window.has_value()) {
      Warn(used_bytes);
      break;
    }
    if (!is_flushed) {
      // Logs may hold rows that were already deleted.
      for (const auto& shard : shards_) LOCKSTEP_RETURN_IF_ERROR(shard->state().kv->Flush());
      is_flushed = true;
      continue;
    }
    LOCKSTEP_RETURN_IF_ERROR(Drop(*window, used_bytes));
    dropped = *window;
  }
  return dropped.has_value() ? FreeDropped(*dropped + 1) : absl::OkStatus();
}

absl::StatusOr<uint64_t> DiskBudget::UsedBytes() const {
  uint64_t sum = 0;
  for (const auto& shard : shards_) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t bytes, UsedBytesOf(shard->state()));
    sum += bytes;
  }
  return sum;
}

std::optional<WindowSpan> DiskBudget::SpanOfWindows() const {
  std::optional<WindowSpan> all;
  for (const auto& shard : shards_) {
    const std::optional<WindowSpan> span = SpanOf(shard->state());
    if (span.has_value()) Widen(all, span->oldest, span->newest);
  }
  return all;
}

// Makes sure that dropped samples do not come back from memory.
absl::Status DiskBudget::SealSamplesUpTo(int32_t window) {
  for (const auto& shard : shards_) {
    if (!HasInMemoryUpTo(shard->state(), window)) continue;
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().Seal());
  }
  return absl::OkStatus();
}

absl::Status DiskBudget::Drop(int32_t window, uint64_t used_bytes) {
  LOCKSTEP_RETURN_IF_ERROR(SealSamplesUpTo(window));
  const TimeRange range = RangeOfWindow(window);
  WindowTotals dropped;
  absl::Status status;
  for (const auto& shard : shards_) {
    status = shard->keeper().DropBefore(range.max_ms + 1, dropped);
    if (!status.ok()) break;
  }
  dropped_samples_ += dropped.sample_count;
  Log(LogLevel::kWarn, "dropped the oldest window: the store exceeds storage.max-bytes",
      {{"from", HourName(range.min_ms)},
       {"to", HourName(range.max_ms + 1)},
       {"samples", dropped.sample_count},
       {"bytes", dropped.byte_count},
       {"store_bytes", used_bytes},
       {"max_bytes", max_bytes_}});
  return status;
}

// Rewrites tables that hold dropped rows beside others.
absl::Status DiskBudget::FreeDropped(int32_t first_kept) {
  const kv::KeyRange dropped = kv::ChunkKeysBefore(first_kept);
  for (const auto& shard : shards_) {
    kv::Store& kv = *shard->state().kv;
    for (const kv::Space space : kChunkSpaces) {
      if (kv.TableBytes(space, dropped) == 0) continue;
      LOCKSTEP_RETURN_IF_ERROR(kv.Compact(space, dropped));
    }
  }
  return absl::OkStatus();
}

void DiskBudget::Warn(uint64_t used_bytes) {
  const auto now = std::chrono::steady_clock::now();
  if (warned_.has_value() && now - *warned_ < kWarnEvery) return;
  warned_ = now;
  Log(LogLevel::kWarn,
      "the store exceeds storage.max-bytes, and only the window being written is left, which is "
      "never dropped: raise the limit, or send less data",
      {{"store_bytes", used_bytes}, {"max_bytes", max_bytes_}});
}

}  // namespace lockstep
