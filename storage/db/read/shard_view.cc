#include "storage/db/read/shard_view.h"

#include <algorithm>

#include "storage/db/rows/window.h"

namespace lockstep {

ShardView::ShardView(const ShardState& shard) : shard_(shard) {
  ReaderLock lock(shard.mutex);
  frozen_ = shard.frozen;
  active_ = shard.active;
  active_counts_ = active_->counts();
  for (const auto& [number, window] : shard.windows) {
    windows_.push_back({number, window.cold.has_value() && window.hot.empty()});
  }
  snapshot_ = shard.kv->NewSnapshot();
}

std::vector<WindowToRead> ShardView::WindowsIn(TimeRange range) const {
  if (range.max_ms < range.min_ms) return {};
  return {std::ranges::lower_bound(windows_, WindowOf(range.min_ms), {}, &WindowToRead::number),
          std::ranges::upper_bound(windows_, WindowOf(range.max_ms), {}, &WindowToRead::number)};
}

bool ShardView::MayHaveSamples(SeriesId id, TimeRange range, bool has_windows) const {
  if (active_->MayHold(id, *active_counts_)) return true;
  if (frozen_ != nullptr && frozen_->Contains(id)) return true;
  return has_windows && shard_.dictionary.SealedMaxMs(id) >= range.min_ms;
}

absl::StatusOr<std::vector<SelectedSeries>> ShardView::Select(const Selection& selection) const {
  std::vector<SelectedSeries> series;
  const bool has_windows = !WindowsIn(selection.range).empty();
  ReaderLock lock(shard_.mutex);
  const SeriesIndex& index = shard_.dictionary.index();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids,
                            index.Select(selection.matchers, selection.budget));
  for (const SeriesId id : ids) {
    if (!MayHaveSamples(id, selection.range, has_windows)) continue;
    series.push_back({index.Labels(id), id, shard_.dictionary.PlaceOf(id)});
  }
  return series;
}

absl::StatusOr<std::vector<std::string>> ShardView::LabelNames(const Selection& selection) const {
  ReaderLock lock(shard_.mutex);
  return shard_.dictionary.index().LabelNames(selection.matchers, selection.budget);
}

absl::StatusOr<std::vector<std::string>> ShardView::LabelValues(std::string_view name,
                                                                const Selection& selection) const {
  ReaderLock lock(shard_.mutex);
  return shard_.dictionary.index().LabelValues(name, selection.matchers, selection.budget);
}

size_t ShardView::ReadHeads(std::span<const SeriesId> ids, TimeRange range, SamplesNeeded needed,
                            std::span<HeadSamples> heads) const {
  SampleColumns part;
  std::vector<SeriesId> others;
  ReaderLock lock(shard_.mutex);
  for (const SeriesId id : ids) active_->PrefetchSeries(id);
  for (size_t i = 0; i < ids.size(); ++i) {
    heads[i].samples.Clear();
    heads[i].has_newest = needed == SamplesNeeded::kNewest &&
                          active_->ReadNewest(ids[i], range, *active_counts_, part);
    if (heads[i].has_newest) {
      heads[i].samples.Add(part);
    } else {
      others.push_back(ids[i]);
    }
  }
  active_->PrefetchAll(others, range.min_ms);
  size_t read = 0;
  for (size_t sample_count = 0; read < ids.size() && sample_count < kReadAheadSamples; ++read) {
    if (heads[read].has_newest) continue;
    ColumnStack& stack = heads[read].samples;
    if (frozen_ != nullptr) {
      frozen_->Read(ids[read], range, part);
      stack.Add(part);
    }
    active_->Read(ids[read], range, *active_counts_, part);
    stack.Add(part);
    sample_count += stack.columns().size();
  }
  return read;
}

}  // namespace lockstep
