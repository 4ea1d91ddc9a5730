// Column: the values of one series over all steps of an evaluation.
//
//   step      0 ... 63 | 64   65   66   67 | 68 ...
//   present            |  1    0    1    1 |
//   values             | 4.2   .    7    . |
//   histograms         |                 h |   (only if any step has one)
//
// Memory covers the steps from the first to the last that ever had a value, with the first rounded
// down to a multiple of 64, so that series that exist for a small part of a long query are cheap. A
// present step holds a histogram if `histograms` has one there, otherwise the float. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "model/histogram.h"
#include "query/engine/values/step_grid.h"

namespace lockstep::engine {

using HistogramPtr = std::shared_ptr<const Histogram>;

class Column {
 public:
  Column() = default;
  // All steps are absent.
  explicit Column(size_t step_count);

  size_t step_count() const { return step_count_; }
  // A block that contains all present steps.
  StepBlock span() const { return {begin_, begin_ + values_.size()}; }
  bool present(size_t step) const {
    const size_t i = step - begin_;  // for earlier steps, wraps around to beyond the size
    return i < values_.size() && ((presence_[i / 64] >> (i % 64)) & 1) != 0;
  }
  bool has_float(size_t step) const { return present(step) && histogram(step) == nullptr; }
  // Whether some step may hold a histogram. Remains true after all histograms were overwritten.
  bool has_histograms() const { return !histograms_.empty(); }

  // Precondition: has_float(step).
  double value(size_t step) const { return values_[step - begin_]; }
  // Null if there is none.
  const Histogram* histogram(size_t step) const {
    const size_t i = step - begin_;
    return i < histograms_.size() ? histograms_[i].get() : nullptr;
  }
  // Precondition: histogram(step) is not null.
  const HistogramPtr& histogram_ptr(size_t step) const { return histograms_[step - begin_]; }

  void SetFloat(size_t step, double value);
  // Sets `value` at every step of `block` for which `value_at(step, value)` returns true, in order.
  // Precondition: the column has never held a value.
  template <typename ValueAt>
  void SetFloats(const StepBlock& block, ValueAt&& value_at) {
    if (block.begin == block.end) return;
    begin_ = block.begin / 64 * 64;
    values_.resize(block.end - begin_);
    presence_.resize((values_.size() + 63) / 64);
    size_t end = 0;
    for (size_t word = 0; word < presence_.size(); ++word) {
      const size_t from = std::max(64 * word, block.begin - begin_);
      const size_t to = std::min(64 * word + 64, values_.size());
      uint64_t bits = 0;
      for (size_t i = from; i < to; ++i) {
        bits |= uint64_t{value_at(begin_ + i, values_[i])} << (i % 64);
      }
      presence_[word] = bits;
      if (bits != 0) end = 64 * word + static_cast<size_t>(std::bit_width(bits));
    }
    values_.resize(end);
    presence_.resize((end + 63) / 64);
  }
  void SetHistogram(size_t step, HistogramPtr histogram);
  void Erase(size_t step);
  // Copies the value of `other` at `other_step`, which must be present.
  void Set(size_t step, const Column& other, size_t other_step);

  size_t PresentCount() const;
  bool empty() const;
  // The cost of the column in a QueryBudget, in samples.
  int64_t BudgetSize() const;
  // Makes every step with a histogram absent; returns whether there was one.
  bool DropHistograms();

  // Calls `visit(step)` for every present step, in order. `visit` may erase that step.
  template <typename Visit>
  void ForEachPresent(Visit&& visit) const {
    ForEachPresent(StepBlock{0, step_count()}, visit);
  }
  // The same, only for steps in `block`, which begins and ends at multiples of 64 or at the
  // column's ends.
  template <typename Visit>
  void ForEachPresent(const StepBlock& block, Visit&& visit) const {
    const size_t from = block.begin > begin_ ? (block.begin - begin_) / 64 : 0;
    const size_t to = block.end > begin_ ? (block.end - begin_ + 63) / 64 : 0;
    for (size_t word = from; word < to && word < presence_.size(); ++word) {
      for (uint64_t bits = presence_[word]; bits != 0; bits &= bits - 1) {
        visit(begin_ + word * 64 + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }
  // Calls `visit(step, values)` for every run of present steps in `block`, as above, in order: with
  // its first step and the floats there. Precondition: !has_histograms().
  template <typename Visit>
  void ForEachRun(const StepBlock& block, Visit&& visit) const {
    const size_t from = block.begin > begin_ ? (block.begin - begin_) / 64 : 0;
    const size_t to = block.end > begin_ ? (block.end - begin_ + 63) / 64 : 0;
    const std::span<const double> values(values_.data(), values_.size());
    for (size_t word = from; word < to && word < presence_.size(); ++word) {
      uint64_t bits = presence_[word];
      const size_t first_full = word;
      while (bits == ~uint64_t{0} && word + 1 < to && word + 1 < presence_.size()) {
        bits = presence_[++word];
      }
      if (word > first_full) {
        visit(begin_ + first_full * 64, values.subspan(first_full * 64, (word - first_full) * 64));
      }
      for (size_t i = 0; bits != 0;) {
        const int absent = std::countr_zero(bits);
        i += static_cast<size_t>(absent);
        bits >>= absent;
        const auto count = static_cast<size_t>(std::countr_one(bits));
        visit(begin_ + word * 64 + i, values.subspan(word * 64 + i, count));
        i += count;
        bits = count < 64 ? bits >> count : 0;
      }
    }
  }
  // Replaces every float by `map(float)`, or by `map(step, float)`.
  template <typename Map>
  void MapFloats(Map&& map) {
    if constexpr (std::is_invocable_v<Map, double>) {
      // Includes absent steps, because a loop without branches is faster.
      for (double& value : values_) value = map(value);
    } else {
      ForEachPresent([&](size_t step) {
        double& value = values_[step - begin_];
        value = map(step, value);
      });
    }
  }
  // Makes every step absent at which `other`, which has the same number of steps, is absent.
  void KeepWhere(const Column& other);

 private:
  // Makes room for `step` and returns its index.
  size_t Reach(size_t step);

  size_t step_count_ = 0;
  size_t begin_ = 0;  // the step of values_[0], a multiple of 64
  // Instant queries have one step: no allocation for them.
  absl::InlinedVector<double, 1> values_;
  absl::InlinedVector<uint64_t, 1> presence_;
  std::vector<HistogramPtr> histograms_;
};

// The cost of a histogram in a QueryBudget, in samples of 16 bytes: its bytes plus its timestamp.
int64_t BudgetSize(const Histogram& histogram);

}  // namespace lockstep::engine
