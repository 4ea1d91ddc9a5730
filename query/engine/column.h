// Column: the values of one series over all steps of an evaluation.
//
//   step      0    1    2    3
//   present   1    0    1    1
//   values    4.2  .    7    .
//   histograms                h     (only when any step holds one)
//
// A present step holds a histogram if `histograms` has one there, and the float otherwise. What values
// hold at absent steps means nothing. Not thread-safe; plain memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "model/histogram.h"

namespace lockstep::engine {

using HistogramPtr = std::shared_ptr<const Histogram>;

// Neighbouring steps, half-open. `begin` is a multiple of 64, and so is `end` unless it is the last.
struct StepBlock {
  size_t begin = 0;
  size_t end = 0;
};

class Column {
 public:
  Column() = default;
  // All steps absent.
  explicit Column(size_t step_count);
  // The same float at every step.
  static Column Constant(size_t step_count, double value);

  size_t step_count() const { return values_.size(); }
  bool present(size_t step) const { return (presence_[step / 64] >> (step % 64)) & 1; }
  bool has_float(size_t step) const { return present(step) && histogram(step) == nullptr; }
  bool has_histograms() const { return !histograms_.empty(); }

  double value(size_t step) const { return values_[step]; }
  const Histogram* histogram(size_t step) const {
    return histograms_.empty() ? nullptr : histograms_[step].get();
  }
  // Precondition: has_histograms().
  const HistogramPtr& histogram_ptr(size_t step) const { return histograms_[step]; }

  void SetFloat(size_t step, double value);
  void SetHistogram(size_t step, HistogramPtr histogram);
  void Erase(size_t step);
  // Takes over what `other` holds at `other_step`, which is present.
  void Set(size_t step, const Column& other, size_t other_step);

  size_t PresentCount() const;
  bool empty() const;
  // How many samples the column costs in a QueryBudget.
  int64_t BudgetSize() const;
  // Makes every step that holds a histogram absent.
  void DropHistograms();

  // Calls `visit(step)` for every present step, in order. `visit` may erase the step that it is given.
  template <typename Visit>
  void ForEachPresent(Visit&& visit) const {
    ForEachPresent(StepBlock{0, step_count()}, visit);
  }
  // Only for those in `block`.
  template <typename Visit>
  void ForEachPresent(const StepBlock& block, Visit&& visit) const {
    const size_t end_word = (block.end + 63) / 64;
    for (size_t word = block.begin / 64; word < end_word; ++word) {
      for (uint64_t bits = presence_[word]; bits != 0; bits &= bits - 1) {
        visit(word * 64 + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }
  // Replaces every float by `map(float)`, or by `map(step, float)`. Absent steps are mapped too; what
  // becomes of them is of no account.
  template <typename Map>
  void MapFloats(Map&& map) {
    if constexpr (std::is_invocable_v<Map, double>) {
      for (double& value : values_) value = map(value);
    } else {
      for (size_t step = 0; step < values_.size(); ++step) values_[step] = map(step, values_[step]);
    }
  }
  // Makes every step absent at which `other`, of as many steps, is absent.
  void KeepWhere(const Column& other);

 private:
  // Instant queries have one step: no allocation for them.
  absl::InlinedVector<double, 1> values_;
  absl::InlinedVector<uint64_t, 1> presence_;
  std::vector<HistogramPtr> histograms_;
};

// Samples that a histogram stands for in a QueryBudget: its bytes and its time, sixteen bytes each.
int64_t BudgetSize(const Histogram& histogram);

}  // namespace lockstep::engine
