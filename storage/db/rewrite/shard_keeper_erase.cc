// ShardKeeper's deletions: on demand, and of what retention rules no longer keep.
#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "storage/db/read/matched_series.h"
#include "storage/db/rewrite/eraser.h"
#include "storage/db/rewrite/expiry.h"
#include "storage/db/rewrite/shard_keeper.h"
#include "storage/db/rewrite/window_ledger.h"
#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

bool HasInMemory(const ShardState& shard, std::span<const SeriesId> ids) {
  ReaderLock lock(shard.mutex);
  const Head& active = *shard.active;
  const Head* const frozen = shard.frozen.get();
  return std::any_of(ids.begin(), ids.end(), [&](SeriesId id) {
    return active.IsOpen(id) || (frozen != nullptr && frozen->IsOpen(id));
  });
}

// The series that rules keep for a shorter time, by that time.
std::map<int64_t, std::vector<SeriesId>> SeriesByKeep(const Dictionary& dictionary,
                                                      const RetentionRules& retention) {
  std::map<int64_t, std::vector<SeriesId>> ids;
  FamilyRetention families(retention);
  const SeriesIndex& index = dictionary.index();
  index.series().ForEach([&](SeriesId id, SeriesParts) {
    const int64_t keep_ms =
        families.KeepMs(dictionary.PlaceOf(id).family, [&] { return index.Labels(id); });
    if (keep_ms < retention.retention_ms()) ids[keep_ms].push_back(id);
  });
  return ids;
}

// Their blocks.
std::map<int64_t, std::vector<SeriesBlock>> BlocksByKeep(const ShardState& shard,
                                                         const RetentionRules& retention) {
  std::map<int64_t, std::vector<SeriesBlock>> blocks;
  ReaderLock lock(shard.mutex);
  for (const auto& [keep_ms, ids] : SeriesByKeep(shard.dictionary, retention)) {
    blocks.emplace(keep_ms, BlocksOf(shard.dictionary, ids));
  }
  return blocks;
}

// Those of the blocks' series that have no samples in memory, ascending.
std::vector<SeriesId> NotInMemory(const ShardState& shard, const std::vector<SeriesBlock>& blocks) {
  std::vector<SeriesId> ids;
  ReaderLock lock(shard.mutex);
  for (const SeriesBlock& block : blocks) {
    for (const SeriesBlock::Member& member : block.members) {
      const bool is_in_memory = shard.active->Contains(member.id) ||
                                (shard.frozen != nullptr && shard.frozen->Contains(member.id));
      if (!is_in_memory) ids.push_back(member.id);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

struct NewestSample {
  SeriesId id = 0;
  int64_t time_ms = kNoTimeMs;  // an upper bound; kNoTimeMs: there is none
};

// The newest samples of some series in chunks, as window rows tell. `ids` ascend.
absl::StatusOr<std::vector<NewestSample>> NewestInChunks(const ShardState& shard,
                                                         std::vector<SeriesId> ids) {
  std::vector<std::pair<int32_t, int64_t>> windows;  // with the time of the newest sample
  {
    ReaderLock lock(shard.mutex);
    for (const auto& [number, window] : shard.windows) {
      windows.emplace_back(number, window.totals().range.max_ms);
    }
  }
  std::vector<NewestSample> newest;
  std::vector<SeriesId> left;
  for (auto window = windows.rbegin(); window != windows.rend() && !ids.empty(); ++window) {
    LOCKSTEP_ASSIGN_OR_RETURN(const WindowLedger ledger, WindowLedger::Read(shard, window->first));
    const std::vector<SeriesId> found = ledger.Among(ids);
    for (const SeriesId id : found) newest.push_back({id, window->second});
    left.clear();
    std::set_difference(ids.begin(), ids.end(), found.begin(), found.end(),
                        std::back_inserter(left));
    ids.swap(left);
  }
  for (const SeriesId id : ids) newest.push_back({id});
  return newest;
}

}  // namespace

absl::Status ShardKeeper::Erase(std::span<const std::vector<Matcher>> matcher_sets,
                                TimeRange range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids, MatchedSeries(shard_, matcher_sets));
  if (HasInMemory(shard_, ids)) LOCKSTEP_RETURN_IF_ERROR(Seal());
  std::vector<SeriesBlock> blocks;
  {
    ReaderLock lock(shard_.mutex);
    blocks = BlocksOf(shard_.dictionary, ids);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t sample_count, EraseFromChunks(blocks, range));
  // Even if there were none: an earlier attempt may have erased them all and then failed.
  LOCKSTEP_RETURN_IF_ERROR(FindNewestSamples(blocks));
  Log(LogLevel::kInfo, "deleted samples",
      {{"shard", shard_.folder}, {"series", ids.size()}, {"samples", sample_count}});
  return ForgetEmptySeries();
}

// In windows that have not ended before their rule's border, readers skip samples that are too old.
absl::Status ShardKeeper::DropByRules() {
  MutexLock one_at_a_time(rules_mutex_);
  if (retention_.empty()) return absl::OkStatus();
  const int64_t now_ms = clock_->Now().expiry_ms;
  uint64_t sample_count = 0;
  for (const auto& [keep_ms, blocks] : BlocksByKeep(shard_, retention_)) {
    const int64_t first_kept_ms = RangeOfWindow(WindowOf(now_ms - keep_ms)).min_ms;
    LOCKSTEP_ASSIGN_OR_RETURN(
        const uint64_t erased_count,
        EraseFromChunks(blocks, {std::numeric_limits<int64_t>::min(), first_kept_ms - 1}));
    if (erased_count > 0) LOCKSTEP_RETURN_IF_ERROR(FindNewestSamples(blocks));
    sample_count += erased_count;
  }
  if (sample_count == 0) return absl::OkStatus();
  shard_.counters.expired_samples += sample_count;
  Log(LogLevel::kInfo, "dropped samples that retention rules no longer keep",
      {{"shard", shard_.folder}, {"samples", sample_count}});
  return ForgetEmptySeries();
}

// Returns the number of samples erased.
absl::StatusOr<uint64_t> ShardKeeper::EraseFromChunks(const std::vector<SeriesBlock>& blocks,
                                                      TimeRange range) {
  std::vector<int32_t> windows;
  {
    ReaderLock lock(shard_.mutex);
    windows = WindowsIn(shard_.windows, range);
  }
  Eraser eraser(shard_, range, [this] { return must_give_up(); });
  const auto publish = [&]() LOCKSTEP_REQUIRES(shard_.mutex) { eraser.Publish(shard_.windows); };
  for (const int32_t window : windows) {
    for (std::span<const SeriesBlock> left = blocks; !left.empty();) {
      const auto step = [&]() -> absl::Status {
        LOCKSTEP_RETURN_IF_ERROR(CheckRoom());
        return eraser.Step(window, left);
      };
      LOCKSTEP_RETURN_IF_ERROR(Step(step, publish));
    }
  }
  return eraser.erased_sample_count();
}

// Tells the dictionary which of the series have no samples any more, and the newest sample of the
// others, except those that have samples in memory. One step, because a seal may add samples.
absl::Status ShardKeeper::FindNewestSamples(const std::vector<SeriesBlock>& blocks) {
  std::vector<NewestSample> newest;
  const auto find = [&]() -> absl::Status {
    LOCKSTEP_ASSIGN_OR_RETURN(newest, NewestInChunks(shard_, NotInMemory(shard_, blocks)));
    return absl::OkStatus();
  };
  const auto publish = [&]() LOCKSTEP_REQUIRES(shard_.mutex) {
    for (const auto& [id, time_ms] : newest) {
      if (shard_.dictionary.index().Contains(id)) shard_.dictionary.LowerSealedMax(id, time_ms);
    }
  };
  return Step(find, publish);
}

absl::Status ShardKeeper::ForgetEmptySeries() {
  MutexLock lock(rows_mutex_);
  absl::Status status;
  OnWriter([&] { status = RemoveEmptySeries(shard_, std::numeric_limits<int32_t>::min()); });
  return status;
}

// New rows are written before the old ones are deleted.
absl::Status ShardKeeper::CheckRoom() const {
  const absl::StatusOr<uint64_t> free_bytes = shard_.env->FreeBytes(shard_.folder);
  if (!free_bytes.ok() || *free_bytes >= min_free_bytes_) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrFormat("the disk is full: %d bytes are free, but %d are needed, because new rows "
                      "are written before the old ones are deleted",
                      *free_bytes, min_free_bytes_));
}

}  // namespace lockstep
