#include "bench/kernels/column_storage.h"

#include <algorithm>

namespace lockstep {
namespace {

class ColumnSeriesSet : public SeriesSet {
 public:
  ColumnSeriesSet(std::vector<const ColumnStorage::Series::value_type*> found, TimeRange range)
      : found_(std::move(found)), range_(range) {}

  size_t size() const override { return found_.size(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t /*max_parts*/) override {
    std::vector<std::unique_ptr<SeriesSet>> parts;
    parts.push_back(std::make_unique<ColumnSeriesSet>(found_, range_));
    return parts;
  }
  bool Next() override { return ++count_ <= found_.size(); }
  size_t position() const override { return count_ - 1; }
  const LabelSet& labels() const override { return found_[count_ - 1]->first; }
  absl::Status Read(SampleColumns& columns) override {
    const SampleColumns& all = found_[count_ - 1]->second;
    const auto& times = all.timestamps_ms;
    const auto first = std::ranges::lower_bound(times, range_.min_ms) - times.begin();
    const auto end = std::ranges::upper_bound(times, range_.max_ms) - times.begin();
    columns.timestamps_ms.insert(columns.timestamps_ms.end(), times.begin() + first,
                                 times.begin() + end);
    columns.values.insert(columns.values.end(), all.values.begin() + first,
                          all.values.begin() + end);
    return absl::OkStatus();
  }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const std::vector<const ColumnStorage::Series::value_type*> found_;
  const TimeRange range_;
  size_t count_ = 0;  // of the series that Next() has moved over
};

class ColumnQuerier : public Querier {
 public:
  explicit ColumnQuerier(const ColumnStorage::Series& series) : series_(series) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    std::vector<const ColumnStorage::Series::value_type*> found;
    for (const auto& one : series_) {
      const bool matches = std::ranges::all_of(selection.matchers, [&one](const Matcher& matcher) {
        return matcher.Matches(one.first.Get(matcher.name()));
      });
      if (matches) found.push_back(&one);
    }
    return std::make_unique<ColumnSeriesSet>(std::move(found), selection.range);
  }
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection&) const override {
    return std::vector<std::string>();
  }
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view,
                                                       const Selection&) const override {
    return std::vector<std::string>();
  }

 private:
  const ColumnStorage::Series& series_;
};

}  // namespace

void ColumnStorage::Write(WriteRequest /*request*/, WriteCallback committed) {
  committed(absl::UnimplementedError("the series of a benchmark do not change"));
}

absl::StatusOr<std::unique_ptr<Querier>> ColumnStorage::NewQuerier() const {
  return std::make_unique<ColumnQuerier>(series_);
}

absl::StatusOr<CardinalityStats> ColumnStorage::Cardinality(const CardinalityQuery&) const {
  return CardinalityStats{};
}

}  // namespace lockstep
