#include "storage/db/read/selected_series_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

constexpr size_t kReadAheadSeries = Head::kMaxPrefetched;
// The most series whose samples are decoded together: those of more would leave the processor's
// cache before they are used.
constexpr size_t kMostDecoded = 8;
// A part has at least this many series of a block, or all selected ones.
constexpr size_t kFewestOfBlock = 16;
// A selection with steps this far apart needs few samples of a series.
constexpr int64_t kFarApartMs = int64_t{4} * 60 * 1000;
// The most series whose few samples are decoded together.
constexpr size_t kMostDecodedAtSteps = 256;

}  // namespace

SelectedSeriesSet::SelectedSeriesSet(std::span<const ShardView> views,
                                     std::vector<ShardSeries> series, const Selection& selection)
    : views_(views),
      series_(std::move(series)),
      range_(selection.range),
      budget_(selection.budget),
      needed_(selection.needed),
      steps_(needed_ == SamplesNeeded::kNewest ? selection.steps : StepTimes()) {
  for (const ShardView& view : views_) {
    windows_.push_back(view.WindowsIn(range_));
    rows_.emplace_back(view.kv(), view.snapshot());
  }
  for (const ShardSeries& selected : series_) {
    if (windows_[selected.shard].empty()) continue;
    SharedBlock& shared = blocks_[KeyOf(selected)];
    shared.place = selected.series.place;
    shared.decoded.Want(shared.place.index_in_block());
    ++shared.series_left;
  }
}

size_t SelectedSeriesSet::work() const {
  size_t rows = 0;
  for (const ShardSeries& selected : series_) rows += windows_[selected.shard].size();
  return std::max(size(), rows);
}

// Where the series, which are in the order of blocks, may be cut: a part reads the rows of all its
// blocks, and opening a row costs as much as reading several series of it.
std::vector<size_t> SelectedSeriesSet::Cuts() const {
  std::vector<size_t> cuts;
  for (size_t begin = 0, end = 0; begin < size(); begin = end) {
    while (end < size() && KeyOf(series_[end]) == KeyOf(series_[begin])) ++end;
    const size_t piece_count = std::max<size_t>(1, (end - begin) / kFewestOfBlock);
    for (size_t piece = 1; piece <= piece_count; ++piece) {
      cuts.push_back(begin + (end - begin) * piece / piece_count);
    }
  }
  return cuts;
}

std::vector<std::unique_ptr<SeriesSet>> SelectedSeriesSet::Split(size_t max_parts) {
  const auto at = [this](size_t i) { return series_.begin() + static_cast<ptrdiff_t>(i); };
  std::stable_sort(series_.begin(), series_.end(),
                   [](const ShardSeries& a, const ShardSeries& b) { return KeyOf(a) < KeyOf(b); });
  const Selection selection{{}, range_, budget_, needed_, steps_};
  std::vector<std::unique_ptr<SeriesSet>> parts;
  size_t begin = 0;
  for (const size_t end : Cuts()) {
    if (end * max_parts < size() * (parts.size() + 1)) continue;
    std::vector<ShardSeries> series(std::make_move_iterator(at(begin)),
                                    std::make_move_iterator(at(end)));
    begin = end;
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
  if (block == blocks_.end() || --block->second.series_left > 0) return;
  if (block->second.is_decoded) decoded_count_ -= block->second.decoded.wanted_count();
  blocks_.erase(block);
}

const HeadSamples& SelectedSeriesSet::Heads() {
  if (at_ < heads_begin_ || at_ >= heads_end_) {
    const uint32_t shard = series_[at_].shard;
    std::vector<SeriesId> ids;
    for (size_t i = at_; i < series_.size() && ids.size() < kReadAheadSeries; ++i) {
      if (series_[i].shard != shard) break;
      ids.push_back(series_[i].series.id);
    }
    if (heads_.size() < ids.size()) heads_.resize(ids.size());
    heads_begin_ = at_;
    const SamplesNeeded needed = steps_.empty() ? needed_ : SamplesNeeded::kAll;
    const std::span heads = std::span(heads_).first(ids.size());
    heads_end_ = at_ + views_[shard].ReadHeads(ids, range_, needed, heads);
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
      LOCKSTEP_RETURN_IF_ERROR(ReadShared(selected, heads, shared, before, columns));
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadWindow(selected, heads, left.min_ms, window, columns));
    left.min_ms = window.range.max_ms + 1;
  }
  if (left.max_ms < left.min_ms) return absl::OkStatus();
  return ReadShared(selected, heads, shared, left, columns);
}

bool SelectedSeriesSet::UsesRollups() const {
  return needed_ != SamplesNeeded::kAll && needed_ != SamplesNeeded::kNewest;
}

size_t SelectedSeriesSet::MostDecoded() const {
  return steps_.step_ms >= kFarApartMs ? kMostDecodedAtSteps : kMostDecoded;
}

void SelectedSeriesSet::BeginToDecode(SharedBlock& shared) {
  shared.is_loaded = true;
  shared.is_decoded = true;
  decoded_count_ += shared.decoded.wanted_count();
}

absl::Status SelectedSeriesSet::Load(const ShardSeries& selected, SharedBlock& shared) {
  std::span<const WindowToRead> windows = windows_[selected.shard];
  if (UsesRollups()) {
    LOCKSTEP_RETURN_IF_ERROR(
        shared.rolled_up.Load(views_[selected.shard], windows, shared.place, range_));
    windows = shared.rolled_up.others();
  }
  const bool has_room = decoded_count_ + shared.decoded.wanted_count() <= MostDecoded();
  if (has_room || steps_.step_ms >= kFarApartMs) {
    BeginToDecode(shared);
    return Decode(selected.shard, windows, BlocksToDecode(selected.shard, shared));
  }
  shared.is_loaded = true;
  return shared.stored.Load(rows_[selected.shard], windows, shared.place, range_);
}

std::vector<SelectedSeriesSet::SharedBlock*> SelectedSeriesSet::BlocksToDecode(uint32_t shard,
                                                                               SharedBlock& first) {
  std::vector<SharedBlock*> blocks{&first};
  // Each has rollup rows of its own, and the newest sample is in no chunk, usually.
  if (UsesRollups() || (needed_ == SamplesNeeded::kNewest && steps_.empty())) return blocks;
  for (size_t i = at_ + 1; i < series_.size() && series_[i].shard == shard; ++i) {
    SharedBlock& next = blocks_.at(KeyOf(series_[i]));
    if (next.is_loaded) continue;
    if (decoded_count_ + next.decoded.wanted_count() > MostDecoded()) break;
    BeginToDecode(next);
    blocks.push_back(&next);
  }
  std::ranges::sort(blocks, {}, [](const SharedBlock* block) {
    return std::pair(block->place.family, block->place.block());
  });
  return blocks;
}

absl::Status SelectedSeriesSet::Decode(uint32_t shard, std::span<const WindowToRead> windows,
                                       std::span<SharedBlock* const> blocks) {
  std::vector<SeriesPlace> places;
  for (SharedBlock* const block : blocks) {
    places.push_back(block->place);
    block->decoded.ExpectRows(windows.size());
  }
  const auto add = [&](size_t i, std::string_view value) {
    return blocks[i]->decoded.Add(value, range_, steps_, row_);
  };
  for (const WindowToRead& window : windows) {
    if (budget_ != nullptr) LOCKSTEP_RETURN_IF_ERROR(budget_->Check());
    LOCKSTEP_RETURN_IF_ERROR(rows_[shard].ForEach(window, places, add));
  }
  return absl::OkStatus();
}

// Reads from the rollup row, unless that does not have the series, lacks samples that a head has,
// or includes a part of the window that a rule hides.
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
    LOCKSTEP_RETURN_IF_ERROR(
        window.chunks.Load(rows_[selected.shard], {&window.window, 1}, place, window.range));
    window.has_chunks = true;
  }
  const TimeRange range = {std::max(min_ms, window.range.min_ms), window.range.max_ms};
  const auto read_stored = [&] {
    return window.chunks.Read(place.index_in_block(), range, columns);
  };
  return ReadAll(heads, read_stored, range, columns);
}

absl::Status SelectedSeriesSet::ReadShared(const ShardSeries& selected, const SampleColumns& heads,
                                           SharedBlock& shared, TimeRange range,
                                           SampleColumns& columns) {
  const uint32_t index = selected.series.place.index_in_block();
  const auto read_stored = [&] {
    if (!shared.is_decoded) return shared.stored.Read(index, range, columns);
    shared.decoded.Read(index, range, columns);
    return absl::OkStatus();
  };
  return ReadAll(heads, read_stored, range, columns);
}

absl::Status SelectedSeriesSet::ReadAll(const SampleColumns& all_heads,
                                        absl::FunctionRef<absl::Status()> read_stored,
                                        TimeRange range, SampleColumns& columns) {
  const bool is_all = range.min_ms == range_.min_ms && range.max_ms == range_.max_ms;
  heads_part_.Clear();
  if (!is_all) AppendInRange(all_heads, range, heads_part_);
  const SampleColumns& heads = is_all ? all_heads : heads_part_;
  // Usually one of the two is empty, or memory has only what came after all that is stored. Samples
  // that `columns` has already are older than both.
  LOCKSTEP_RETURN_IF_ERROR(read_stored());
  if (heads.size() == 0) return absl::OkStatus();
  const int64_t heads_min_ms = TimeRangeOf(heads).min_ms;
  if (columns.size() == 0 || TimeRangeOf(columns).max_ms < heads_min_ms) {
    AppendInRange(heads, range, columns);
    return absl::OkStatus();
  }
  MoveFrom(columns, heads_min_ms, stored_);
  MergeColumns(stored_, heads, scratch_);
  AppendInRange(scratch_, range, columns);
  return absl::OkStatus();
}

}  // namespace lockstep
