#include "answers/derived/scaled_series_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kShownMs = 60'000;
constexpr int64_t kShownGaps = 10;

// Shared by all parts of a set.
struct Table {
  std::vector<ScaledSeries> series;  // by stored position
  std::vector<size_t> position;      // by stored position: position when sorted by labels
  std::vector<size_t> stored;        // the inverse of `position`
  int64_t max_ms = 0;
};

std::shared_ptr<const Table> MakeTable(std::vector<ScaledSeries> series, int64_t max_ms) {
  auto table = std::make_shared<Table>();
  table->series = std::move(series);
  table->max_ms = max_ms;
  table->stored.resize(table->series.size());
  std::iota(table->stored.begin(), table->stored.end(), size_t{0});
  std::ranges::sort(table->stored, {},
                    [&table](size_t i) -> const LabelSet& { return table->series[i].labels; });
  table->position.resize(table->series.size());
  for (size_t i = 0; i < table->stored.size(); ++i) table->position[table->stored[i]] = i;
  return table;
}

// Keeps stale markers and drops other NaNs.
void Scale(double factor, SampleColumns& samples) {
  bool has_nans = false;
  for (double& value : samples.values) {
    has_nans |= std::isnan(value);
    if (!IsStaleNan(value)) value *= factor;
  }
  if (!has_nans || !samples.left_out.empty()) return;
  size_t kept = 0;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    if (std::isnan(samples.values[i]) && !IsStaleNan(samples.values[i])) continue;
    samples.timestamps_ms[kept] = samples.timestamps_ms[i];
    samples.values[kept++] = samples.values[i];
  }
  samples.timestamps_ms.resize(kept);
  samples.values.resize(kept);
}

// When the value at `i` ends, or empty if the next one arrives before that.
std::optional<int64_t> EndOf(size_t i, const std::vector<int64_t>& time_ms) {
  if (i + 1 < time_ms.size() && time_ms[i + 1] - time_ms[i] <= kShownMs) return std::nullopt;
  const int64_t gap_ms = i > 0 ? time_ms[i] - time_ms[i - 1] : time_ms[1] - time_ms[0];
  const int64_t end_ms = time_ms[i] + kShownMs + kShownGaps * gap_ms;
  if (i + 1 < time_ms.size() && time_ms[i + 1] <= end_ms) return std::nullopt;
  return end_ms;
}

// Returns series in stored order.
class ScaledPart : public SeriesSet {
 public:
  ScaledPart(std::unique_ptr<SeriesSet> stored, std::shared_ptr<const Table> table)
      : stored_(std::move(stored)), table_(std::move(table)) {}

  size_t size() const override { return stored_->size(); }
  size_t work() const override { return stored_->work(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    std::vector<std::unique_ptr<SeriesSet>> parts = stored_->Split(max_parts);
    for (std::unique_ptr<SeriesSet>& part : parts) {
      part = std::make_unique<ScaledPart>(std::move(part), table_);
    }
    return parts;
  }
  bool Next() override { return stored_->Next(); }
  size_t position() const override { return table_->position[stored_->position()]; }
  const LabelSet& labels() const override { return current().labels; }
  absl::Status Read(SampleColumns& columns) override {
    if (columns.size() == 0) return ReadAlone(columns);
    SampleColumns more;
    LOCKSTEP_RETURN_IF_ERROR(ReadAlone(more));
    for (size_t i = 0; i < more.values.size(); ++i) {
      columns.Append(more.timestamps_ms[i], more.values[i]);
    }
    return absl::OkStatus();
  }
  absl::Status status() const override { return stored_->status(); }

 private:
  const ScaledSeries& current() const { return table_->series[stored_->position()]; }

  absl::Status ReadAlone(SampleColumns& samples) {
    LOCKSTEP_RETURN_IF_ERROR(stored_->Read(samples));
    samples.histograms.clear();
    Scale(current().factor, samples);
    MarkEnds(table_->max_ms, samples);
    return absl::OkStatus();
  }

  const std::unique_ptr<SeriesSet> stored_;
  const std::shared_ptr<const Table> table_;
};

// Returns series sorted by labels.
class ScaledSet : public SeriesSet {
 public:
  ScaledSet(std::unique_ptr<SeriesSet> stored, std::shared_ptr<const Table> table)
      : table_(table), series_(std::move(stored), std::move(table)) {}

  size_t size() const override { return series_.size(); }
  size_t work() const override { return series_.work(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    return series_.Split(max_parts);
  }
  bool Next() override {
    if (next_ == table_->series.size()) return false;
    ++next_;
    return true;
  }
  size_t position() const override { return next_ - 1; }
  const LabelSet& labels() const override {
    return table_->series[table_->stored[next_ - 1]].labels;
  }
  absl::Status Read(SampleColumns& columns) override {
    if (samples_.empty()) LOCKSTEP_RETURN_IF_ERROR(ReadAll());
    const SampleColumns& samples = samples_[next_ - 1];
    for (size_t i = 0; i < samples.values.size(); ++i) {
      columns.Append(samples.timestamps_ms[i], samples.values[i]);
    }
    return absl::OkStatus();
  }
  absl::Status status() const override { return series_.status(); }

 private:
  absl::Status ReadAll() {
    samples_.resize(table_->series.size());
    while (series_.Next()) LOCKSTEP_RETURN_IF_ERROR(series_.Read(samples_[series_.position()]));
    return series_.status();
  }

  const std::shared_ptr<const Table> table_;
  ScaledPart series_;
  std::vector<SampleColumns> samples_;  // by position; empty if not yet read
  size_t next_ = 0;                     // position after the current series
};

}  // namespace

void MarkEnds(int64_t max_ms, SampleColumns& samples) {
  if (samples.values.size() < 2 || !samples.left_out.empty()) return;
  std::vector<std::pair<size_t, int64_t>> ends;  // after which value, and when; almost always one
  for (size_t i = 0; i < samples.values.size(); ++i) {
    const std::optional<int64_t> end_ms = EndOf(i, samples.timestamps_ms);
    if (!end_ms.has_value() || *end_ms > max_ms || IsStaleNan(samples.values[i])) continue;
    ends.emplace_back(i, *end_ms);
  }
  size_t from = samples.values.size();
  samples.timestamps_ms.resize(from + ends.size());
  samples.values.resize(from + ends.size());
  for (size_t to = samples.values.size(); !ends.empty();) {
    const bool is_end = ends.back().first + 1 == from;
    --to;
    samples.timestamps_ms[to] = is_end ? ends.back().second : samples.timestamps_ms[--from];
    samples.values[to] = is_end ? StaleNan() : samples.values[from];
    if (is_end) ends.pop_back();
  }
}

std::unique_ptr<SeriesSet> NewScaledSeriesSet(std::unique_ptr<SeriesSet> stored,
                                              std::vector<ScaledSeries> series, int64_t max_ms) {
  LOCKSTEP_CHECK(stored->size() == series.size());
  return std::make_unique<ScaledSet>(std::move(stored), MakeTable(std::move(series), max_ms));
}

}  // namespace lockstep::answers
