#include "storage/db/head/head.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace lockstep {
namespace {

constexpr int64_t kNoNextMs = std::numeric_limits<int64_t>::max();

}  // namespace

// Iterates over the start timestamps of the floats of a series in order.
class Head::StartWalk {
 public:
  // Must not outlive the runs.
  explicit StartWalk(const std::vector<StartRun>& runs) : runs_(runs) {}
  int64_t At(size_t float_index) {
    while (next_ < runs_.size() && runs_[next_].first_float <= float_index) ++next_;
    return next_ == 0 ? 0 : runs_[next_ - 1].start_ms;
  }

 private:
  const std::vector<StartRun>& runs_;
  size_t next_ = 0;  // the first run that begins later
};

void Head::Open(SeriesId id, int64_t latest_ms) {
  LOCKSTEP_CHECK(!IsOpen(id));
  slots_.Set(id, static_cast<uint32_t>(series_.size()));
  Series& series = series_.Grow();
  series.id = id;
  series.latest_ms = latest_ms;
  committed_.push_back(0);
  byte_count_ += sizeof(Series) + 2 * sizeof(uint32_t);
}

void Head::Touch(Series& series, uint32_t slot) {
  if (series.touched) return;
  series.touched = true;
  undo_.push_back({slot, series.float_count, series.latest_ms, series.ascending});
}

void Head::Note(Series& series, int64_t timestamp_ms) {
  if (timestamp_ms <= series.latest_ms) {
    series.ascending = false;
  } else {
    series.latest_ms = timestamp_ms;
  }
  range_.min_ms = std::min(range_.min_ms, timestamp_ms);
  range_.max_ms = std::max(range_.max_ms, timestamp_ms);
  ++sample_count_;
}

uint32_t Head::NewSlab() {
  slabs_.Grow();
  byte_count_ += sizeof(Slab);
  return static_cast<uint32_t>(slabs_.size() - 1);
}

void Head::PutBytes(Series& series, const uint8_t* bytes, size_t count) {
  if (series.float_count == 0) series.first_slab = series.last_slab = NewSlab();
  const size_t fit = std::min(count, Slab::kBytes - series.bytes_in_last);
  std::memcpy(slabs_[series.last_slab].bytes.data() + series.bytes_in_last, bytes, fit);
  series.bytes_in_last = static_cast<uint8_t>(series.bytes_in_last + fit);
  if (fit == count) return;
  const uint32_t next = NewSlab();
  slabs_[series.last_slab].next = next;
  series.last_slab = next;
  series.bytes_in_last = static_cast<uint8_t>(count - fit);
  std::memcpy(slabs_[next].bytes.data(), bytes + fit, count - fit);
}

Head::Rare& Head::RareOf(Series& series) {
  if (series.rare == nullptr) {
    series.rare = std::make_unique<Rare>();
    byte_count_ += sizeof(Rare);
  }
  return *series.rare;
}

void Head::NoteStart(Series& series, int64_t start_ms) {
  std::vector<StartRun>& starts = RareOf(series).starts;
  if (start_ms == (starts.empty() ? 0 : starts.back().start_ms)) return;
  starts.push_back({series.float_count, start_ms});
  byte_count_ += sizeof(StartRun);
}

void Head::PutMark(Series& series) {
  const auto number = static_cast<uint32_t>(marks_.size());
  marks_.Grow() = {series.last, series.float_count, series.last_slab, series.bytes_in_last,
                   series.last_mark};
  series.last_mark = number;
  byte_count_ += sizeof(Mark);
}

Head::Mark Head::FirstOf(const Series& series) {
  Mark first;
  first.slab = series.first_slab;
  return first;
}

Head::Mark Head::MarkBefore(const Series& series, size_t float_count, int64_t from_ms) const {
  for (uint32_t i = series.last_mark; i != kNoMark; i = marks_[i].previous) {
    const Mark& mark = marks_[i];
    if (mark.float_count <= float_count && mark.before.timestamp_ms < from_ms) return mark;
  }
  return FirstOf(series);
}

void Head::AppendFloat(Series& series, Sample sample, int64_t start_ms) {
  if (start_ms != 0 || series.rare != nullptr) NoteStart(series, start_ms);
  if (series.float_count % kFloatsPerMark == 0 && series.float_count > 0) PutMark(series);
  uint8_t bytes[kMaxArrivalBytes];
  const size_t count = EncodeArrival(sample, series.last, bytes);
  PutBytes(series, bytes, count);
  ++series.float_count;
  if (series.has_late_run) NoteBesideLateRun(series.id, sample.timestamp_ms);
  Note(series, sample.timestamp_ms);
}

bool Head::AppendNewest(SeriesId id, Sample sample, int64_t start_ms) {
  const uint32_t slot = SlotOf(id);
  Series& series = series_[slot];
  if (sample.timestamp_ms <= series.latest_ms) return false;
  Touch(series, slot);
  AppendFloat(series, sample, start_ms);
  return true;
}

std::optional<Head::LateRun> Head::LateRunOf(uint32_t slot) const {
  const Series& series = series_[slot];
  if (series.rare != nullptr || series.float_count == 0) return std::nullopt;
  if (const auto found = late_runs_.find(slot); found != late_runs_.end()) return found->second;
  if (!series.ascending) return std::nullopt;
  // The last of ascending samples is the latest; before the first there is none.
  ArrivalState first;
  DecodeArrival(slabs_[series.first_slab].bytes.data(), first);
  return LateRun{first.timestamp_ms, series.last.timestamp_ms, kNoNextMs};
}

void Head::SetLateRun(uint32_t slot, LateRun run) {
  if (late_runs_.insert_or_assign(slot, run).second) byte_count_ += sizeof(uint32_t) + sizeof(run);
  series_[slot].has_late_run = true;
}

// Keeps the bounds around the run true when a sample arrives that does not continue the run.
void Head::NoteBesideLateRun(SeriesId id, int64_t time_ms) {
  LateRun& run = late_runs_.find(SlotOf(id))->second;
  run.start_ms = std::min(run.start_ms, time_ms);
  if (run.last_ms < time_ms) run.next_ms = std::min(run.next_ms, time_ms);
}

bool Head::IsLast(SeriesId id, Sample sample) const {
  const Series& series = series_[SlotOf(id)];
  return series.float_count > 0 && series.rare == nullptr &&
         series.last.timestamp_ms == sample.timestamp_ms &&
         series.last.value_bits == std::bit_cast<uint64_t>(sample.value);
}

bool Head::MayHaveTime(SeriesId id, int64_t time_ms) const {
  const uint32_t slot = SlotOf(id);
  if (slot == kNoSlot || series_[slot].arrival_count() == 0) return false;
  const std::optional<LateRun> run = LateRunOf(slot);
  return !run.has_value() || !run->IsFree(time_ms);
}

bool Head::AppendLate(SeriesId id, Sample sample) {
  const uint32_t slot = SlotOf(id);
  Series& series = series_[slot];
  const int64_t time_ms = sample.timestamp_ms;
  LateRun run{time_ms, time_ms, kNoNextMs};
  if (series.arrival_count() > 0) {
    const std::optional<LateRun> before = LateRunOf(slot);
    if (!before.has_value() || !before->IsFree(time_ms)) return false;
    run = time_ms < before->start_ms ? LateRun{time_ms, time_ms, before->start_ms}
                                     : LateRun{before->start_ms, time_ms, before->next_ms};
  }
  Touch(series, slot);
  AppendFloat(series, sample);
  SetLateRun(slot, run);
  return true;
}

void Head::AnchorLateRun(SeriesId id, int64_t time_ms) {
  const uint32_t slot = SlotOf(id);
  const Series& series = series_[slot];
  if (series.rare != nullptr) return;
  LateRun run{time_ms, time_ms, kNoNextMs};
  const uint8_t* at = Bytes(series);
  ArrivalState state;
  for (size_t i = 0; i < series.float_count; ++i) {
    at = DecodeArrival(at, state);
    run.start_ms = std::min(run.start_ms, state.timestamp_ms);
    if (state.timestamp_ms > time_ms) run.next_ms = std::min(run.next_ms, state.timestamp_ms);
  }
  SetLateRun(slot, run);
}

void Head::AppendHistogram(Series& series, const HistogramSample& sample) {
  RareOf(series).histograms.push_back({sample, series.float_count});
  byte_count_ += sizeof(HistogramArrival) + sample.histogram->byte_count();
  Note(series, sample.timestamp_ms);
}

// In order of time over both kinds, so that a series with both kinds still counts as ascending.
void Head::Append(SeriesId id, const SampleColumns& columns) {
  const uint32_t slot = SlotOf(id);
  LOCKSTEP_CHECK(slot != kNoSlot);
  Series& series = series_[slot];
  Touch(series, slot);
  size_t next_histogram = 0;
  const auto append_histograms_before = [&](int64_t timestamp_ms) {
    while (next_histogram < columns.histograms.size() &&
           columns.histograms[next_histogram].timestamp_ms < timestamp_ms) {
      AppendHistogram(series, columns.histograms[next_histogram++]);
    }
  };
  for (size_t i = 0; i < columns.values.size(); ++i) {
    append_histograms_before(columns.timestamps_ms[i]);
    AppendFloat(series, {columns.timestamps_ms[i], columns.values[i]}, columns.StartOf(i));
  }
  while (next_histogram < columns.histograms.size()) {
    AppendHistogram(series, columns.histograms[next_histogram++]);
  }
}

void Head::Commit() {
  for (const Undo& undo : undo_) {
    Series& series = series_[undo.slot];
    series.touched = false;
    committed_[undo.slot] = static_cast<uint32_t>(series.arrival_count());
  }
  undo_.clear();
  MutexLock lock(shared_mutex_);
  shared_counts_ = nullptr;
}

void Head::Rollback() {
  for (const Undo& undo : undo_) TakeBack(series_[undo.slot], undo);
  undo_.clear();
}

// Rereads the floats that stay, to find where they end and what the next one is encoded against.
void Head::TakeBack(Series& series, const Undo& undo) {
  const size_t arrivals = committed_[undo.slot];
  sample_count_ -= series.arrival_count() - arrivals;
  const uint8_t* const begin = Bytes(series);
  const uint8_t* at = begin;
  ArrivalState state;
  for (size_t i = 0; i < undo.float_count; ++i) at = DecodeArrival(at, state);
  series.last = state;
  series.float_count = undo.float_count;
  while (series.last_mark != kNoMark && marks_[series.last_mark].float_count >= undo.float_count) {
    series.last_mark = marks_[series.last_mark].previous;
  }
  // The slabs and marks after them are not reused: this only happens when a disk fails.
  auto left = static_cast<size_t>(at - begin);
  series.last_slab = series.first_slab;
  for (; left > Slab::kBytes; left -= Slab::kBytes)
    series.last_slab = slabs_[series.last_slab].next;
  series.bytes_in_last = static_cast<uint8_t>(left);
  if (series.rare != nullptr) {
    series.rare->histograms.resize(arrivals - undo.float_count);
    std::erase_if(series.rare->starts,
                  [&undo](const StartRun& run) { return run.first_float >= undo.float_count; });
  }
  series.ascending = undo.ascending;
  series.latest_ms = undo.latest_ms;
  series.touched = false;
}

const uint8_t* Head::Bytes(const Series& series, const Mark& from) const {
  thread_local std::vector<uint8_t> bytes;
  bytes.clear();
  if (series.float_count > 0) {
    size_t begin = from.offset;
    for (uint32_t slab = from.slab; slab != series.last_slab; slab = slabs_[slab].next) {
      const auto& all = slabs_[slab].bytes;
      bytes.insert(bytes.end(), all.begin() + begin, all.end());
      begin = 0;
    }
    const auto& last = slabs_[series.last_slab].bytes;
    bytes.insert(bytes.end(), last.begin() + begin, last.begin() + series.bytes_in_last);
  }
  bytes.resize(bytes.size() + kArrivalPadding);
  return bytes.data();
}

std::shared_ptr<const ArrivalCounts> Head::counts() const {
  MutexLock lock(shared_mutex_);
  if (shared_counts_ == nullptr) shared_counts_ = std::make_shared<ArrivalCounts>(committed_);
  return shared_counts_;
}

int64_t Head::LatestMs(SeriesId id) const {
  const uint32_t slot = SlotOf(id);
  return slot == kNoSlot ? kNoTimeMs : series_[slot].latest_ms;
}

bool Head::Contains(SeriesId id) const {
  const uint32_t slot = SlotOf(id);
  return slot != kNoSlot && series_[slot].arrival_count() > 0;
}

bool Head::MayHold(SeriesId id, const ArrivalCounts& counts) const {
  const uint32_t slot = SlotOf(id);
  return slot < counts.size() && counts[slot] > 0;
}

void Head::Read(SeriesId id, TimeRange range, SampleColumns& columns) const {
  columns.Clear();
  const uint32_t slot = SlotOf(id);
  if (slot == kNoSlot) return;
  ReadFirst(series_[slot], series_[slot].arrival_count(), range, columns);
}

void Head::Read(SeriesId id, TimeRange range, const ArrivalCounts& counts,
                SampleColumns& columns) const {
  columns.Clear();
  const uint32_t slot = SlotOf(id);
  if (slot >= counts.size()) return;
  ReadFirst(series_[slot], counts[slot], range, columns);
}

bool Head::ReadNewest(SeriesId id, TimeRange range, const ArrivalCounts& counts,
                      SampleColumns& columns) const {
  const uint32_t slot = SlotOf(id);
  if (slot >= counts.size()) return false;
  const Series& series = series_[slot];
  const int64_t time_ms = series.last.timestamp_ms;
  const bool is_newest = series.float_count > 0 && series.rare == nullptr && series.ascending &&
                         time_ms == series.latest_ms;
  if (!is_newest || counts[slot] != series.float_count || time_ms > range.max_ms) return false;
  columns.Clear();
  if (time_ms >= range.min_ms)
    columns.Append(time_ms, std::bit_cast<double>(series.last.value_bits));
  return true;
}

void Head::ReadFirst(const Series& series, size_t arrival_count, TimeRange range,
                     SampleColumns& columns) const {
  const Cut cut = CutAt(series, arrival_count);
  if (series.ascending) {
    ReadAscending(series, cut, range, columns);
  } else {
    ReadArrivals(series, cut, range, columns);
  }
}

Head::Cut Head::CutAt(const Series& series, size_t arrival_count) {
  LOCKSTEP_CHECK(arrival_count <= series.arrival_count());
  if (series.rare == nullptr) return {arrival_count, 0};
  // Histogram i is arrival number floats_before + i, which ascends with i.
  const std::vector<HistogramArrival>& histograms = series.rare->histograms;
  size_t low = 0, high = histograms.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (histograms[middle].floats_before + middle < arrival_count) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {arrival_count - low, low};
}

void Head::ReadAscending(const Series& series, Cut cut, TimeRange range,
                         SampleColumns& columns) const {
  const Mark from = MarkBefore(series, cut.floats, range.min_ms);
  const size_t skipped =
      from.float_count + DecodeAscending(Bytes(series, from), from.before,
                                         cut.floats - from.float_count, range, columns);
  if (series.rare == nullptr) return;
  if (!series.rare->starts.empty()) {
    StartWalk starts(series.rare->starts);
    for (size_t i = 0; i < columns.values.size(); ++i) {
      columns.start_timestamps_ms.push_back(starts.At(skipped + i));
    }
  }
  for (size_t i = 0; i < cut.histograms; ++i) {
    const HistogramSample& sample = series.rare->histograms[i].sample;
    if (range.Contains(sample.timestamp_ms)) columns.histograms.push_back(sample);
  }
}

// The last arrival of each time wins.
void Head::ReadArrivals(const Series& series, Cut cut, TimeRange range,
                        SampleColumns& columns) const {
  struct Arrival {
    int64_t timestamp_ms;
    int64_t start_ms;                  // of `value`
    double value;                      // unless there is a histogram
    const HistogramSample* histogram;  // null for a float
  };
  static const Rare kNothing;
  const Rare& rare = series.rare == nullptr ? kNothing : *series.rare;
  StartWalk starts(rare.starts);
  std::vector<Arrival> arrivals;
  const auto take = [&](Arrival arrival) {
    if (range.Contains(arrival.timestamp_ms)) arrivals.push_back(arrival);
  };
  const uint8_t* at = Bytes(series);
  ArrivalState state;
  size_t next_float = 0;
  const auto take_floats_until = [&](size_t end) {
    for (; next_float < end; ++next_float) {
      at = DecodeArrival(at, state);
      take({state.timestamp_ms, starts.At(next_float), std::bit_cast<double>(state.value_bits),
            nullptr});
    }
  };
  for (size_t i = 0; i < cut.histograms; ++i) {
    const HistogramArrival& arrival = rare.histograms[i];
    take_floats_until(arrival.floats_before);
    take({arrival.sample.timestamp_ms, 0, 0, &arrival.sample});
  }
  take_floats_until(cut.floats);
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return a.timestamp_ms < b.timestamp_ms;
  });
  for (size_t i = 0; i < arrivals.size(); ++i) {
    const Arrival& arrival = arrivals[i];
    if (i + 1 < arrivals.size() && arrivals[i + 1].timestamp_ms == arrival.timestamp_ms) continue;
    if (arrival.histogram != nullptr) {
      columns.histograms.push_back(*arrival.histogram);
    } else {
      columns.Append(arrival.timestamp_ms, arrival.value, arrival.start_ms);
    }
  }
}

}  // namespace lockstep
