#include "storage/db/head.h"

#include <algorithm>

#include "base/check.h"
#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

constexpr size_t kFirstCapacity = 4;

size_t BytesOf(const Histogram& histogram) {
  return sizeof(Histogram) +
         sizeof(double) * (histogram.positive_counts.size() + histogram.negative_counts.size() +
                           histogram.custom_values.size()) +
         sizeof(BucketSpan) * (histogram.positive_spans.size() + histogram.negative_spans.size());
}

}  // namespace

Head::Series& Head::Touch(SeriesId id) {
  if (id >= slots_.size()) slots_.resize(id + 1, kNoSlot);
  uint32_t& slot = slots_[id];
  if (slot == kNoSlot) {
    slot = static_cast<uint32_t>(series_.size());
    series_.emplace_back().id = id;
    committed_.push_back(0);
    byte_count_ += sizeof(Series) + sizeof(uint32_t);
  }
  Series& series = series_[slot];
  if (!series.touched) {
    series.touched = true;
    undo_.push_back({slot, static_cast<uint32_t>(series.floats.size()),
                     static_cast<uint32_t>(series.arrival_count() - series.floats.size()),
                     series.ascending, series.max_time_ms});
  }
  return series;
}

void Head::Note(Series& series, int64_t timestamp_ms) {
  if (timestamp_ms <= series.max_time_ms) {
    series.ascending = false;
  } else {
    series.max_time_ms = timestamp_ms;
  }
  range_.min_ms = std::min(range_.min_ms, timestamp_ms);
  range_.max_ms = std::max(range_.max_ms, timestamp_ms);
  ++sample_count_;
}

void Head::Append(SeriesId id, Sample sample) {
  Series& series = Touch(id);
  const size_t capacity_before = series.floats.capacity();
  if (capacity_before == 0) series.floats.reserve(kFirstCapacity);
  series.floats.push_back(sample);
  byte_count_ += (series.floats.capacity() - capacity_before) * sizeof(Sample);
  Note(series, sample.timestamp_ms);
}

void Head::AppendHistogram(Series& series, const HistogramSample& sample) {
  if (series.histograms == nullptr) {
    series.histograms = std::make_unique<std::vector<HistogramArrival>>();
  }
  // Without its start timestamp, which neither the journal nor a chunk holds: a sample reads the same
  // before a seal and after.
  series.histograms->push_back(
      {{sample.timestamp_ms, sample.histogram}, static_cast<uint32_t>(series.floats.size())});
  byte_count_ += sizeof(HistogramArrival) + BytesOf(*sample.histogram);
  Note(series, sample.timestamp_ms);
}

// In order of time over both kinds, so that a series of both still counts as ascending.
void Head::Append(SeriesId id, const SampleColumns& columns) {
  size_t next_histogram = 0;
  const auto append_histograms_before = [&](int64_t timestamp_ms) {
    while (next_histogram < columns.histograms.size() &&
           columns.histograms[next_histogram].timestamp_ms < timestamp_ms) {
      AppendHistogram(Touch(id), columns.histograms[next_histogram++]);
    }
  };
  for (size_t i = 0; i < columns.values.size(); ++i) {
    append_histograms_before(columns.timestamps_ms[i]);
    Append(id, Sample{columns.timestamps_ms[i], columns.values[i]});
  }
  while (next_histogram < columns.histograms.size()) {
    AppendHistogram(Touch(id), columns.histograms[next_histogram++]);
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
  for (const Undo& undo : undo_) {
    Series& series = series_[undo.slot];
    sample_count_ -= series.arrival_count() - undo.float_count - undo.histogram_count;
    series.floats.resize(undo.float_count);
    if (series.histograms != nullptr) series.histograms->resize(undo.histogram_count);
    series.ascending = undo.ascending;
    series.max_time_ms = undo.max_time_ms;
    series.touched = false;
  }
  undo_.clear();
}

std::shared_ptr<const ArrivalCounts> Head::counts() const {
  MutexLock lock(shared_mutex_);
  if (shared_counts_ == nullptr) shared_counts_ = std::make_shared<ArrivalCounts>(committed_);
  return shared_counts_;
}

int64_t Head::MaxTimeOf(SeriesId id) const {
  const uint32_t slot = SlotOf(id);
  return slot == kNoSlot ? kNoTimeMs : series_[slot].max_time_ms;
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

void Head::ReadFirst(const Series& series, size_t arrival_count, TimeRange range,
                     SampleColumns& columns) {
  const Cut cut = CutAt(series, arrival_count);
  if (series.ascending) {
    ReadAscending(series, cut, range, columns);
  } else {
    ReadArrivals(series, cut, range, columns);
  }
}

Head::Cut Head::CutAt(const Series& series, size_t arrival_count) {
  LOCKSTEP_CHECK(arrival_count <= series.arrival_count());
  if (series.histograms == nullptr) return {arrival_count, 0};
  // Histogram i is arrival number floats_before + i, which ascends with i.
  size_t low = 0, high = series.histograms->size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((*series.histograms)[middle].floats_before + middle < arrival_count) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {arrival_count - low, low};
}

void Head::ReadAscending(const Series& series, Cut cut, TimeRange range, SampleColumns& columns) {
  const auto floats_end = series.floats.begin() + static_cast<ptrdiff_t>(cut.floats);
  auto at = std::lower_bound(
      series.floats.begin(), floats_end, range.min_ms,
      [](const Sample& sample, int64_t min_ms) { return sample.timestamp_ms < min_ms; });
  for (; at != floats_end && at->timestamp_ms <= range.max_ms; ++at) {
    columns.Append(at->timestamp_ms, at->value);
  }
  for (size_t i = 0; i < cut.histograms; ++i) {
    const HistogramSample& sample = (*series.histograms)[i].sample;
    if (range.Contains(sample.timestamp_ms)) columns.histograms.push_back(sample);
  }
}

// Of equal times the last arrival stays.
void Head::ReadArrivals(const Series& series, Cut cut, TimeRange range, SampleColumns& columns) {
  struct Arrival {
    int64_t timestamp_ms;
    const Sample* sample;  // or
    const HistogramSample* histogram;
  };
  std::vector<Arrival> arrivals;
  const auto take = [&](Arrival arrival) {
    if (range.Contains(arrival.timestamp_ms)) arrivals.push_back(arrival);
  };
  size_t next_float = 0;
  const auto take_floats_until = [&](size_t end) {
    for (; next_float < end; ++next_float) {
      take({series.floats[next_float].timestamp_ms, &series.floats[next_float], nullptr});
    }
  };
  for (size_t i = 0; i < cut.histograms; ++i) {
    const HistogramArrival& arrival = (*series.histograms)[i];
    take_floats_until(arrival.floats_before);
    take({arrival.sample.timestamp_ms, nullptr, &arrival.sample});
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
      columns.Append(arrival.timestamp_ms, arrival.sample->value);
    }
  }
}

}  // namespace lockstep
