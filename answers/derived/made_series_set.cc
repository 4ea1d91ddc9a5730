#include "answers/derived/made_series_set.h"

#include <algorithm>
#include <utility>

namespace lockstep::answers {
namespace {

class MadeSeriesSet : public SeriesSet {
 public:
  MadeSeriesSet(std::shared_ptr<const MadeSeries> series, size_t begin, size_t end)
      : series_(std::move(series)), begin_(begin), next_(begin), end_(end) {}

  size_t size() const override { return end_ - begin_; }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    const size_t count = std::clamp<size_t>(size(), 1, max_parts);
    std::vector<std::unique_ptr<SeriesSet>> parts;
    for (size_t i = 0; i < count; ++i) {
      parts.push_back(std::make_unique<MadeSeriesSet>(series_, begin_ + size() * i / count,
                                                      begin_ + size() * (i + 1) / count));
    }
    return parts;
  }

  bool Next() override {
    if (next_ == end_) return false;
    ++next_;
    return true;
  }
  size_t position() const override { return next_ - 1; }
  const LabelSet& labels() const override { return (*series_)[next_ - 1].labels; }
  absl::Status Read(SampleColumns& columns) override {
    const SampleColumns& samples = (*series_)[next_ - 1].samples;
    columns.timestamps_ms.insert(columns.timestamps_ms.end(), samples.timestamps_ms.begin(),
                                 samples.timestamps_ms.end());
    columns.values.insert(columns.values.end(), samples.values.begin(), samples.values.end());
    return absl::OkStatus();
  }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const std::shared_ptr<const MadeSeries> series_;
  const size_t begin_;
  size_t next_;  // position after the current series
  const size_t end_;
};

}  // namespace

std::unique_ptr<SeriesSet> NewMadeSeriesSet(std::shared_ptr<const MadeSeries> series) {
  const size_t count = series->size();
  return std::make_unique<MadeSeriesSet>(std::move(series), 0, count);
}

}  // namespace lockstep::answers
