#include "tests/memory_storage.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

namespace lockstep {
namespace {

using SeriesMap = MemoryStorage::SeriesMap;
using Value = MemoryStorage::Value;

bool MatchesAll(const LabelSet& labels, std::span<const Matcher> matchers) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
    return matcher.Matches(labels.Get(matcher.name()));
  });
}

class MemorySeriesSet : public SeriesSet {
 public:
  MemorySeriesSet(std::vector<SeriesMap::const_iterator> found, TimeRange range,
                  size_t first_position = 0)
      : found_(std::move(found)), range_(range), first_position_(first_position) {}

  size_t size() const override { return found_.size(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    std::vector<std::unique_ptr<SeriesSet>> parts;
    for (size_t part = 0; part < max_parts; ++part) {
      const auto from = found_.begin() + static_cast<ptrdiff_t>(size() * part / max_parts);
      const auto to = found_.begin() + static_cast<ptrdiff_t>(size() * (part + 1) / max_parts);
      parts.push_back(std::make_unique<MemorySeriesSet>(
          std::vector(from, to), range_, static_cast<size_t>(from - found_.begin())));
    }
    return parts;
  }
  size_t position() const override { return first_position_ + count_ - 1; }
  bool Next() override { return ++count_ <= found_.size(); }
  const LabelSet& labels() const override { return found_[count_ - 1]->first; }
  absl::Status Read(SampleColumns& columns) override {
    const auto& samples = found_[count_ - 1]->second;
    for (auto at = samples.lower_bound(range_.min_ms);
         at != samples.end() && at->first <= range_.max_ms; ++at) {
      const Value& value = at->second;
      if (value.histogram != nullptr) {
        columns.histograms.push_back({at->first, value.histogram, value.start_timestamp_ms});
      } else {
        columns.Append(at->first, value.number, value.start_timestamp_ms);
      }
    }
    return absl::OkStatus();
  }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const std::vector<SeriesMap::const_iterator> found_;
  const TimeRange range_;
  const size_t first_position_;
  size_t count_ = 0;  // of the series that Next() has passed
};

class MemoryQuerier : public Querier {
 public:
  explicit MemoryQuerier(std::shared_ptr<const SeriesMap> series) : series_(std::move(series)) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    if (selection.budget != nullptr) LOCKSTEP_RETURN_IF_ERROR(selection.budget->Check());
    std::vector<SeriesMap::const_iterator> found;
    for (auto series = series_->begin(); series != series_->end(); ++series) {
      if (MatchesAll(series->first, selection.matchers)) found.push_back(series);
    }
    return std::make_unique<MemorySeriesSet>(std::move(found), selection.range);
  }

  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
    std::set<std::string> names;
    for (const auto& [labels, samples] : *series_) {
      if (!MatchesAll(labels, selection.matchers)) continue;
      for (const LabelView& label : labels) names.emplace(label.name);
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override {
    std::set<std::string> values;
    for (const auto& [labels, samples] : *series_) {
      if (labels.Has(name) && MatchesAll(labels, selection.matchers)) {
        values.emplace(labels.Get(name));
      }
    }
    return std::vector<std::string>(values.begin(), values.end());
  }

 private:
  const std::shared_ptr<const SeriesMap> series_;
};

// Stores one sample and counts whether it was new, a duplicate or an overwrite.
void Store(std::map<int64_t, Value>& samples, int64_t timestamp_ms, Value value,
           WriteOutcome& outcome) {
  const auto [at, is_new] = samples.try_emplace(timestamp_ms, value);
  if (is_new) {
    ++outcome.written_count;
    return;
  }
  const bool same =
      at->second.histogram == value.histogram &&
      std::bit_cast<uint64_t>(at->second.number) == std::bit_cast<uint64_t>(value.number);
  ++(same ? outcome.duplicate_count : outcome.overwritten_count);
  at->second = std::move(value);
}

}  // namespace

void MemoryStorage::Append(const LabelSet& labels, int64_t timestamp_ms, double value) {
  MutexLock lock(mutex_);
  NoteChange(timestamp_ms);
  Writable()[labels][timestamp_ms] = {value, nullptr};
}

void MemoryStorage::Append(const LabelSet& labels, int64_t timestamp_ms,
                           std::shared_ptr<const Histogram> histogram) {
  MutexLock lock(mutex_);
  NoteChange(timestamp_ms);
  Writable()[labels][timestamp_ms] = {0, std::move(histogram)};
}

void MemoryStorage::Clear() {
  MutexLock lock(mutex_);
  NoteChange(kAllTimes.min_ms);
  series_ = std::make_shared<SeriesMap>();
}

void MemoryStorage::Write(WriteRequest request, WriteCallback committed) {
  WriteOutcome outcome;
  {
    MutexLock lock(mutex_);
    SeriesMap& map = Writable();
    for (SeriesWrite& series : request.series) {
      std::map<int64_t, Value>& samples = map[series.labels];
      for (size_t i = 0; i < series.samples.size(); ++i) {
        const Sample& sample = series.samples[i];
        NoteChange(sample.timestamp_ms);
        const int64_t start_ms =
            series.start_timestamps_ms.empty() ? 0 : series.start_timestamps_ms[i];
        Store(samples, sample.timestamp_ms, {sample.value, nullptr, start_ms}, outcome);
      }
      for (HistogramSample& sample : series.histograms) {
        NoteChange(sample.timestamp_ms);
        Store(samples, sample.timestamp_ms,
              {0, std::move(sample.histogram), sample.start_timestamp_ms}, outcome);
      }
    }
  }
  committed(std::move(outcome));
}

absl::StatusOr<std::unique_ptr<Querier>> MemoryStorage::NewQuerier() const {
  MutexLock lock(mutex_);
  return std::make_unique<MemoryQuerier>(series_);
}

void MemoryStorage::NoteChange(int64_t timestamp_ms) { changes_ms_.push_back(timestamp_ms); }

uint64_t MemoryStorage::change_count() const {
  MutexLock lock(mutex_);
  return changes_ms_.size();
}

TimeRange MemoryStorage::UnchangedSince(uint64_t count) const {
  MutexLock lock(mutex_);
  const auto first = changes_ms_.begin() + static_cast<ptrdiff_t>(count);
  if (first == changes_ms_.end()) return kAllTimes;
  const int64_t earliest_ms = *std::min_element(first, changes_ms_.end());
  if (earliest_ms == kAllTimes.min_ms) return {0, -1};
  return {kAllTimes.min_ms, earliest_ms - 1};
}

StorageStats MemoryStorage::stats() const {
  MutexLock lock(mutex_);
  StorageStats stats;
  stats.series_count = series_->size();
  stats.head_series_count = series_->size();
  for (const auto& [labels, samples] : *series_) stats.head_sample_count += samples.size();
  return stats;
}

absl::StatusOr<CardinalityStats> MemoryStorage::Cardinality(const CardinalityQuery&) const {
  return CardinalityStats{};
}

MemoryStorage::SeriesMap& MemoryStorage::Writable() {
  if (series_.use_count() > 1) series_ = std::make_shared<SeriesMap>(*series_);
  return *series_;
}

}  // namespace lockstep
