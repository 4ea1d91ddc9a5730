#include "storage/db/selected_series_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

constexpr size_t kReadAheadSeries = Head::kMaxPrefetched;

template <typename T>
void MoveTail(std::vector<T>& from, size_t begin, std::vector<T>& to) {
  const auto first = from.begin() + static_cast<ptrdiff_t>(begin);
  to.assign(std::make_move_iterator(first), std::make_move_iterator(from.end()));
  from.erase(first, from.end());
}

// Replaces `to` by what `from` holds from these indexes on.
void MoveTail(SampleColumns& from, size_t float_begin, size_t histogram_begin, SampleColumns& to) {
  MoveTail(from.timestamps_ms, float_begin, to.timestamps_ms);
  MoveTail(from.values, float_begin, to.values);
  MoveTail(from.histograms, histogram_begin, to.histograms);
}

}  // namespace

SelectedSeriesSet::SelectedSeriesSet(std::span<const ShardView> views,
                                     std::vector<ShardSeries> series, TimeRange range,
                                     QueryBudget* budget)
    : views_(views), series_(std::move(series)), range_(range), budget_(budget) {
  for (const ShardView& view : views_) windows_.push_back(view.WindowsIn(range_));
  for (const ShardSeries& selected : series_) {
    if (!windows_[selected.shard].empty()) ++blocks_[KeyOf(selected)].series_left;
  }
}

bool SelectedSeriesSet::Next() {
  if (!status_.ok() || at_ == series_.size()) return false;
  if (begun_) {
    DoneWith(series_[at_]);
    ++at_;
  }
  begun_ = true;
  if (at_ == series_.size()) return false;
  if (budget_ != nullptr) status_ = budget_->Check();
  return status_.ok();
}

void SelectedSeriesSet::DoneWith(const ShardSeries& series) {
  const auto block = blocks_.find(KeyOf(series));
  if (block != blocks_.end() && --block->second.series_left == 0) blocks_.erase(block);
}

const SampleColumns& SelectedSeriesSet::Heads() {
  if (at_ < heads_begin_ || at_ >= heads_end_) {
    const uint32_t shard = series_[at_].shard;
    std::vector<SeriesId> ids;
    for (size_t i = at_; i < series_.size() && ids.size() < kReadAheadSeries; ++i) {
      if (series_[i].shard != shard) break;
      ids.push_back(series_[i].series.id);
    }
    heads_.resize(kReadAheadSeries);
    heads_begin_ = at_;
    heads_end_ = at_ + views_[shard].ReadHeads(ids, range_, heads_);
  }
  return heads_[at_ - heads_begin_].columns();
}

absl::Status SelectedSeriesSet::Read(SampleColumns& columns) {
  const ShardSeries& selected = series_[at_];
  const SampleColumns& heads = Heads();
  const TimeRange range = {std::max(range_.min_ms, selected.oldest_ms), range_.max_ms};
  if (!blocks_.contains(KeyOf(selected))) {
    AppendInRange(heads, range, columns);
    return absl::OkStatus();
  }
  // Usually one of the two is empty, or memory has what came after all that is stored.
  const size_t floats_before = columns.values.size();
  const size_t histograms_before = columns.histograms.size();
  LOCKSTEP_RETURN_IF_ERROR(ReadStored(selected, range, columns));
  if (heads.size() == 0) return absl::OkStatus();
  const int64_t heads_min_ms = TimeRangeOf(heads).min_ms;
  const bool is_apart =
      (columns.values.size() == floats_before || columns.timestamps_ms.back() < heads_min_ms) &&
      (columns.histograms.size() == histograms_before ||
       columns.histograms.back().timestamp_ms < heads_min_ms);
  if (is_apart) {
    AppendInRange(heads, range, columns);
    return absl::OkStatus();
  }
  MoveTail(columns, floats_before, histograms_before, stored_);
  MergeColumns(stored_, heads, scratch_);
  AppendInRange(scratch_, range, columns);
  return absl::OkStatus();
}

absl::Status SelectedSeriesSet::ReadStored(const ShardSeries& selected, TimeRange range,
                                           SampleColumns& columns) {
  SharedBlock& shared = blocks_.find(KeyOf(selected))->second;
  const ShardView& view = views_[selected.shard];
  const SeriesPlace place = selected.series.place;
  if (!shared.is_loaded) {
    LOCKSTEP_RETURN_IF_ERROR(
        shared.block.Load(view.kv(), view.snapshot(), windows_[selected.shard], place, range_));
    shared.is_loaded = true;
  }
  return shared.block.Read(place.index_in_block(), range, columns);
}

}  // namespace lockstep
