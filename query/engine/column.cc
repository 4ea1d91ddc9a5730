#include "query/engine/column.h"

#include <utility>

namespace lockstep::engine {

Column::Column(size_t step_count) : values_(step_count), presence_((step_count + 63) / 64) {}

Column Column::Constant(size_t step_count, double value) {
  Column column(step_count);
  for (size_t step = 0; step < step_count; ++step) column.SetFloat(step, value);
  return column;
}

void Column::SetFloat(size_t step, double value) {
  values_[step] = value;
  presence_[step / 64] |= uint64_t{1} << (step % 64);
  if (!histograms_.empty()) histograms_[step] = nullptr;
}

void Column::SetHistogram(size_t step, HistogramPtr histogram) {
  if (histograms_.empty()) histograms_.resize(values_.size());
  histograms_[step] = std::move(histogram);
  presence_[step / 64] |= uint64_t{1} << (step % 64);
}

void Column::Erase(size_t step) {
  presence_[step / 64] &= ~(uint64_t{1} << (step % 64));
  if (!histograms_.empty()) histograms_[step] = nullptr;
}

void Column::Set(size_t step, const Column& other, size_t other_step) {
  if (other.histogram(other_step) != nullptr) {
    SetHistogram(step, other.histograms_[other_step]);
  } else {
    SetFloat(step, other.values_[other_step]);
  }
}

size_t Column::PresentCount() const {
  size_t count = 0;
  for (const uint64_t word : presence_) count += static_cast<size_t>(std::popcount(word));
  return count;
}

bool Column::empty() const {
  for (const uint64_t word : presence_) {
    if (word != 0) return false;
  }
  return true;
}

int64_t Column::BudgetSize() const {
  int64_t size = static_cast<int64_t>(values_.size());
  for (const HistogramPtr& histogram : histograms_) {
    if (histogram != nullptr) size += engine::BudgetSize(*histogram);
  }
  return size;
}

void Column::DropHistograms() {
  for (size_t step = 0; step < histograms_.size(); ++step) {
    if (histograms_[step] != nullptr) Erase(step);
  }
  histograms_.clear();
}

void Column::KeepWhere(const Column& other) {
  for (size_t word = 0; word < presence_.size(); ++word) presence_[word] &= other.presence_[word];
  for (size_t step = 0; step < histograms_.size(); ++step) {
    if (!present(step)) histograms_[step] = nullptr;
  }
}

int64_t BudgetSize(const Histogram& histogram) {
  const size_t bytes =
      sizeof(Histogram) +
      (histogram.positive_spans.size() + histogram.negative_spans.size()) * sizeof(BucketSpan) +
      (histogram.positive_counts.size() + histogram.negative_counts.size() +
       histogram.custom_values.size()) *
          sizeof(double);
  return static_cast<int64_t>((bytes + 8) / 16);
}

}  // namespace lockstep::engine
