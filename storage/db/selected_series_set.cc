#include "storage/db/selected_series_set.h"

#include <utility>

#include "storage/chunk/merge_columns.h"

namespace lockstep {

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

absl::Status SelectedSeriesSet::Read(SampleColumns& columns) {
  const ShardSeries& selected = series_[at_];
  stack_.Clear();
  LOCKSTEP_RETURN_IF_ERROR(ReadStored(selected));
  views_[selected.shard].ReadHeads(selected.series.id, range_, scratch_, stack_);
  AppendInRange(stack_.columns(), range_, columns);
  return absl::OkStatus();
}

absl::Status SelectedSeriesSet::ReadStored(const ShardSeries& selected) {
  const auto found = blocks_.find(KeyOf(selected));
  if (found == blocks_.end()) return absl::OkStatus();
  SharedBlock& shared = found->second;
  const ShardView& view = views_[selected.shard];
  const SeriesPlace place = selected.series.place;
  if (!shared.is_loaded) {
    LOCKSTEP_RETURN_IF_ERROR(
        shared.block.Load(view.kv(), view.snapshot(), windows_[selected.shard], place, range_));
    shared.is_loaded = true;
  }
  return shared.block.Read(place.index_in_block(), scratch_, stack_);
}

}  // namespace lockstep
