#include "query/engine/values/column.h"

#include <algorithm>
#include <utility>

namespace lockstep::engine {

Column::Column(size_t step_count) : step_count_(step_count) {}

size_t Column::Reach(size_t step) {
  const size_t block = step / 64 * 64;
  if (values_.empty()) {
    begin_ = block;
    values_.reserve(std::min<size_t>(64, step_count_ - begin_));
  } else if (step < begin_) {
    const size_t added = begin_ - block;
    values_.insert(values_.begin(), added, 0.0);
    presence_.insert(presence_.begin(), added / 64, 0);
    if (!histograms_.empty()) histograms_.insert(histograms_.begin(), added, nullptr);
    begin_ = block;
  }
  const size_t i = step - begin_;
  if (i >= values_.size()) {
    values_.resize(i + 1);
    presence_.resize(i / 64 + 1);
    if (!histograms_.empty()) histograms_.resize(i + 1);
  }
  return i;
}

void Column::SetFloat(size_t step, double value) {
  const size_t i = Reach(step);
  values_[i] = value;
  presence_[i / 64] |= uint64_t{1} << (i % 64);
  if (!histograms_.empty()) histograms_[i] = nullptr;
}

void Column::SetHistogram(size_t step, HistogramPtr histogram) {
  const size_t i = Reach(step);
  if (histograms_.empty()) histograms_.resize(values_.size());
  histograms_[i] = std::move(histogram);
  presence_[i / 64] |= uint64_t{1} << (i % 64);
}

void Column::Erase(size_t step) {
  const size_t i = step - begin_;
  if (i >= values_.size()) return;
  presence_[i / 64] &= ~(uint64_t{1} << (i % 64));
  if (!histograms_.empty()) histograms_[i] = nullptr;
}

void Column::Set(size_t step, const Column& other, size_t other_step) {
  if (other.histogram(other_step) != nullptr) {
    SetHistogram(step, other.histogram_ptr(other_step));
  } else {
    SetFloat(step, other.value(other_step));
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

bool Column::DropHistograms() {
  bool any = false;
  for (size_t i = 0; i < histograms_.size(); ++i) {
    if (histograms_[i] == nullptr) continue;
    Erase(begin_ + i);
    any = true;
  }
  histograms_.clear();
  return any;
}

void Column::KeepWhere(const Column& other) {
  for (size_t word = 0; word < presence_.size(); ++word) {
    const size_t other_word = word + begin_ / 64 - other.begin_ / 64;  // may wrap around
    presence_[word] &= other_word < other.presence_.size() ? other.presence_[other_word] : 0;
  }
  for (size_t i = 0; i < histograms_.size(); ++i) {
    if (!present(begin_ + i)) histograms_[i] = nullptr;
  }
}

int64_t BudgetSize(const Histogram& histogram) {
  constexpr size_t kFixedBytes = 168;  // Prometheus' size of everything except the lists
  const size_t bytes =
      kFixedBytes +
      (histogram.positive_spans.size() + histogram.negative_spans.size()) * sizeof(BucketSpan) +
      (histogram.positive_counts.size() + histogram.negative_counts.size() +
       histogram.custom_values.size()) *
          sizeof(double);
  return static_cast<int64_t>((bytes + 8) / 16);
}

}  // namespace lockstep::engine
