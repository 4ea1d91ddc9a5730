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
  const size_t start_count = from.start_timestamps_ms.size();
  MoveTail(from.start_timestamps_ms, std::min(float_begin, start_count), to.start_timestamps_ms);
}

}  // namespace

SelectedSeriesSet::SelectedSeriesSet(std::span<const ShardView> views,
                                     std::vector<ShardSeries> series, const Selection& selection)
    : views_(views),
      series_(std::move(series)),
      range_(selection.range),
      budget_(selection.budget),
      needed_(selection.needed) {
  for (const ShardView& view : views_) windows_.push_back(view.WindowsIn(range_));
  for (const ShardSeries& selected : series_) {
    if (!windows_[selected.shard].empty()) ++blocks_[KeyOf(selected)].series_left;
  }
}

// Cuts where equal pieces end, in the order of blocks: at most one block is read by two of them.
std::vector<std::unique_ptr<SeriesSet>> SelectedSeriesSet::Split(size_t max_parts) {
  const auto at = [this](size_t i) { return series_.begin() + static_cast<ptrdiff_t>(i); };
  std::stable_sort(series_.begin(), series_.end(),
                   [](const ShardSeries& a, const ShardSeries& b) { return KeyOf(a) < KeyOf(b); });
  const Selection selection{{}, range_, budget_, needed_};
  std::vector<std::unique_ptr<SeriesSet>> parts;
  for (size_t part = 0; part < max_parts; ++part) {
    const auto begin = at(size() * part / max_parts), end = at(size() * (part + 1) / max_parts);
    if (begin == end) continue;
    std::vector<ShardSeries> series(std::make_move_iterator(begin), std::make_move_iterator(end));
    std::sort(series.begin(), series.end(),
              [](const ShardSeries& a, const ShardSeries& b) { return a.position < b.position; });
    parts.push_back(std::make_unique<SelectedSeriesSet>(views_, std::move(series), selection));
  }
  return parts;
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

const HeadSamples& SelectedSeriesSet::Heads() {
  if (at_ < heads_begin_ || at_ >= heads_end_) {
    const uint32_t shard = series_[at_].shard;
    std::vector<SeriesId> ids;
    for (size_t i = at_; i < series_.size() && ids.size() < kReadAheadSeries; ++i) {
      if (series_[i].shard != shard) break;
      ids.push_back(series_[i].series.id);
    }
    heads_.resize(kReadAheadSeries);
    heads_begin_ = at_;
    heads_end_ = at_ + views_[shard].ReadHeads(ids, range_, needed_, heads_);
  }
  return heads_[at_ - heads_begin_];
}

absl::Status SelectedSeriesSet::Read(SampleColumns& columns) {
  const ShardSeries& selected = series_[at_];
  const HeadSamples& in_heads = Heads();
  const SampleColumns& heads = in_heads.samples.columns();
  const TimeRange range = {std::max(range_.min_ms, selected.oldest_ms), range_.max_ms};
  const auto found = blocks_.find(KeyOf(selected));
  if (found == blocks_.end() || in_heads.has_newest) {
    AppendInRange(heads, range, columns);
    return absl::OkStatus();
  }
  SharedBlock& shared = found->second;
  if (!shared.is_loaded) LOCKSTEP_RETURN_IF_ERROR(Load(selected, shared));
  TimeRange left = range;
  for (RolledUpWindows::Window& window : shared.rolled_up.windows()) {
    if (window.range.max_ms < left.min_ms) continue;
    if (left.min_ms < window.range.min_ms) {
      const TimeRange before = {left.min_ms, window.range.min_ms - 1};
      LOCKSTEP_RETURN_IF_ERROR(ReadAll(selected, heads, shared.block, before, columns));
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadWindow(selected, heads, left.min_ms, window, columns));
    left.min_ms = window.range.max_ms + 1;
  }
  if (left.max_ms < left.min_ms) return absl::OkStatus();
  return ReadAll(selected, heads, shared.block, left, columns);
}

absl::Status SelectedSeriesSet::Load(const ShardSeries& selected, SharedBlock& shared) const {
  const ShardView& view = views_[selected.shard];
  const SeriesPlace place = selected.series.place;
  std::span<const int32_t> windows = windows_[selected.shard];
  if (needed_ != SamplesNeeded::kAll && needed_ != SamplesNeeded::kNewest) {
    LOCKSTEP_RETURN_IF_ERROR(shared.rolled_up.Load(view, windows, place, range_));
    windows = shared.rolled_up.others();
  }
  LOCKSTEP_RETURN_IF_ERROR(shared.block.Load(view.kv(), view.snapshot(), windows, place, range_));
  shared.is_loaded = true;
  return absl::OkStatus();
}

// From the rollup row, unless that does not tell of the series, or not all because a head has more, or too
// much because a rule hides a part of the window.
absl::Status SelectedSeriesSet::ReadWindow(const ShardSeries& selected, const SampleColumns& heads,
                                           int64_t min_ms, RolledUpWindows::Window& window,
                                           SampleColumns& columns) {
  const SeriesPlace place = selected.series.place;
  const bool is_whole = min_ms <= window.range.min_ms;
  const bool is_in_heads = ColumnsView(heads).In(window.range).size() > 0;
  if (is_whole && !is_in_heads && window.rollup.Answers(place.index_in_block(), needed_)) {
    return window.rollup.Read(place.index_in_block(), needed_, window.range, columns);
  }
  if (!window.has_chunks) {
    const ShardView& view = views_[selected.shard];
    LOCKSTEP_RETURN_IF_ERROR(
        window.chunks.Load(view.kv(), view.snapshot(), {&window.number, 1}, place, window.range));
    window.has_chunks = true;
  }
  const TimeRange range = {std::max(min_ms, window.range.min_ms), window.range.max_ms};
  return ReadAll(selected, heads, window.chunks, range, columns);
}

absl::Status SelectedSeriesSet::ReadAll(const ShardSeries& selected, const SampleColumns& all_heads,
                                        StoredBlock& block, TimeRange range,
                                        SampleColumns& columns) {
  const bool is_all = range.min_ms == range_.min_ms && range.max_ms == range_.max_ms;
  heads_part_.Clear();
  if (!is_all) AppendInRange(all_heads, range, heads_part_);
  const SampleColumns& heads = is_all ? all_heads : heads_part_;
  // Usually one of the two is empty, or memory has what came after all that is stored.
  const size_t floats_before = columns.values.size();
  const size_t histograms_before = columns.histograms.size();
  LOCKSTEP_RETURN_IF_ERROR(block.Read(selected.series.place.index_in_block(), range, columns));
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

}  // namespace lockstep
