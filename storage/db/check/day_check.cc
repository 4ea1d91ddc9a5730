#include "storage/db/check/day_check.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/utc_text.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

constexpr TimeRange kNoTimes = {kAllTimes.max_ms, kAllTimes.min_ms};

// "2026-01-02T04"
std::string WindowName(int32_t window) {
  return UtcText("%E4Y-%m-%dT%H", RangeOfWindow(window).min_ms);
}

const char* NameOf(kv::Tier tier) { return tier == kv::Tier::kHot ? "hot" : "cold"; }

std::string NameOf(kv::Tier tier, const kv::ChunkKey& key) {
  return absl::StrFormat("%s chunks %s family %d block %d generation %d part %d", NameOf(tier),
                         WindowName(key.window), key.family, key.block, key.generation, key.part);
}

void Widen(TimeRange& range, TimeRange other) {
  range.min_ms = std::min(range.min_ms, other.min_ms);
  range.max_ms = std::max(range.max_ms, other.max_ms);
}

void SortAndDeduplicate(std::vector<SeriesId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

int32_t DayOf(int64_t time_ms) {
  return static_cast<int32_t>(
      std::chrono::floor<std::chrono::days>(std::chrono::milliseconds(time_ms)).count());
}

std::string DayName(int32_t day) {
  return UtcText("%E4Y-%m-%d", std::chrono::milliseconds(std::chrono::days(day)).count());
}

void DayCheck::AddChunkRow(kv::Tier tier, const kv::ChunkKey& key, std::string_view value) {
  const bool is_unfinished = key.generation > mark_;
  ++(is_unfinished ? unfinished_row_count_ : day_.row_count);
  if (!is_unfinished) day_.totals.byte_count += value.size();
  const absl::Status status = ReadRow(key, value);
  if (!status.ok()) damage_(NameOf(tier, key), std::string(Message(status)));
}

// Continues after a damaged series and reports the error of the first one.
absl::Status DayCheck::ReadRow(const kv::ChunkKey& key, std::string_view value) {
  LOCKSTEP_RETURN_IF_ERROR(row_.Open(value));
  TimeRange range = kNoTimes;
  absl::Status status;
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    if (!row_.Contains(index)) continue;
    const absl::Status read = ReadSeries(key, index, range);
    if (status.ok()) status = Annotate(read, absl::StrFormat("series %d of the block", index));
  }
  LOCKSTEP_RETURN_IF_ERROR(status);
  if (range.min_ms != row_.range().min_ms || range.max_ms != row_.range().max_ms) {
    return absl::DataLossError("the time range in the header does not match the samples");
  }
  return absl::OkStatus();
}

absl::Status DayCheck::ReadSeries(const kv::ChunkKey& key, uint32_t index_in_block,
                                  TimeRange& range) {
  columns_.Clear();
  LOCKSTEP_RETURN_IF_ERROR(row_.Read(index_in_block, kAllTimes, columns_));
  const TimeRange times = TimeRangeOf(columns_);
  Widen(range, times);
  if (WindowOf(times.min_ms) != key.window || WindowOf(times.max_ms) != key.window) {
    return absl::DataLossError("some of its samples belong to another window");
  }
  if (key.generation > mark_) return absl::OkStatus();
  day_.totals.Add({times, columns_.size(), 0});
  Widen(stored_.range, times);
  const uint64_t ordinal = uint64_t{key.block} * kSeriesPerBlock + index_in_block;
  const bool is_place = ordinal <= std::numeric_limits<uint32_t>::max();
  const SeriesId* const id =
      is_place ? places_.Find({key.family, static_cast<uint32_t>(ordinal)}) : nullptr;
  if (id == nullptr) return absl::DataLossError("the dictionary has no series at this place");
  stored_.ids.push_back(*id);
  return absl::OkStatus();
}

void DayCheck::AddWindowRow(const kv::WindowKey& key, std::string_view value) {
  const absl::StatusOr<WindowRow> row = DecodeWindowRow(value);
  if (!row.ok()) {
    damage_(absl::StrFormat("%s window row %s generation %d part %d", NameOf(key.tier),
                            WindowName(key.window), key.generation, key.part),
            std::string(Message(row.status())));
    return;
  }
  if (key.generation > mark_) {
    ++unfinished_row_count_;
    return;
  }
  Widen(told_.range, row->totals.range);
  told_.ids.insert(told_.ids.end(), row->series.begin(), row->series.end());
}

void DayCheck::EndWindow(int32_t window) {
  SortAndDeduplicate(stored_.ids);
  SortAndDeduplicate(told_.ids);
  std::vector<SeriesId> untold;
  std::set_difference(stored_.ids.begin(), stored_.ids.end(), told_.ids.begin(), told_.ids.end(),
                      std::back_inserter(untold));
  const std::string where = "window rows " + WindowName(window);
  if (!untold.empty()) {
    damage_(where, absl::StrFormat(
                       "%d series of the chunks are missing from the window rows, the first is %d",
                       untold.size(), untold.front()));
  } else if (stored_.range.min_ms < told_.range.min_ms ||
             stored_.range.max_ms > told_.range.max_ms) {
    damage_(
        where,
        absl::StrFormat(
            "they cover samples from %d to %d ms, but the chunks have samples from %d to %d ms",
            told_.range.min_ms, told_.range.max_ms, stored_.range.min_ms, stored_.range.max_ms));
  }
  ids_.insert(ids_.end(), stored_.ids.begin(), stored_.ids.end());
  stored_ = Contents();
  told_ = Contents();
}

CheckedDay DayCheck::Finish() {
  SortAndDeduplicate(ids_);
  day_.series_count = ids_.size();
  return day_;
}

}  // namespace lockstep
