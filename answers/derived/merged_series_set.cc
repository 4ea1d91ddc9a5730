#include "answers/derived/merged_series_set.h"

#include <utility>
#include <vector>

namespace lockstep::answers {
namespace {

// A series set positioned at its next series.
struct Source {
  std::unique_ptr<SeriesSet> series;
  bool has_series = false;

  void Advance() { has_series = series->Next(); }
};

class MergedSeriesSet : public SeriesSet {
 public:
  MergedSeriesSet(std::unique_ptr<SeriesSet> first, std::unique_ptr<SeriesSet> second)
      : first_{std::move(first)}, second_{std::move(second)} {}

  size_t size() const override { return first_.series->size() + second_.series->size(); }
  size_t work() const override { return first_.series->work() + second_.series->work(); }
  // Only one part: parts of the two sets could not know their positions in the merged set.
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t /*max_parts*/) override {
    std::vector<std::unique_ptr<SeriesSet>> parts;
    parts.push_back(
        std::make_unique<MergedSeriesSet>(std::move(first_.series), std::move(second_.series)));
    return parts;
  }

  bool Next() override {
    if (current_ == nullptr) {
      first_.Advance();
      second_.Advance();
    } else {
      current_->Advance();
    }
    if (!first_.has_series && !second_.has_series) return false;
    current_ = IsFirstNext() ? &first_ : &second_;
    ++next_position_;
    return true;
  }

  size_t position() const override { return next_position_ - 1; }
  const LabelSet& labels() const override { return current_->series->labels(); }
  absl::Status Read(SampleColumns& columns) override { return current_->series->Read(columns); }

  absl::Status status() const override {
    const absl::Status first = first_.series->status();
    return first.ok() ? second_.series->status() : first;
  }

 private:
  bool IsFirstNext() const {
    if (!first_.has_series || !second_.has_series) return first_.has_series;
    return first_.series->labels() < second_.series->labels();
  }

  Source first_;
  Source second_;
  Source* current_ = nullptr;  // one of the sources; null before the first series
  size_t next_position_ = 0;
};

}  // namespace

std::unique_ptr<SeriesSet> NewMergedSeriesSet(std::unique_ptr<SeriesSet> first,
                                              std::unique_ptr<SeriesSet> second) {
  return std::make_unique<MergedSeriesSet>(std::move(first), std::move(second));
}

}  // namespace lockstep::answers
