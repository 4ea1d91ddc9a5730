// SampleCounts: how many samples an evaluation looked at, counted like Prometheus: at every step,
// each sample that a selector returns or that is in a window, with histograms weighted by size.
// Samples inside a subquery do not count, but its points do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "query/engine/values/column.h"

namespace lockstep::engine {

// A value type, for the steps of one evaluator.
class SampleCounts {
 public:
  // With `step_count` 0, keeps only the total.
  explicit SampleCounts(size_t step_count) : per_step_(step_count) {}

  void Add(size_t step, int64_t samples) {
    total_ += samples;
    if (!per_step_.empty()) per_step_[step] += samples;
  }
  // Adds to the total only. Precondition: !is_per_step().
  void AddToTotal(int64_t samples) { total_ += samples; }
  void AddAtEveryStep(size_t step_count, int64_t samples) {
    total_ += static_cast<int64_t>(step_count) * samples;
    for (int64_t& count : per_step_) count += samples;
  }
  // Adds the result of an instant selector.
  void Add(const Column& column);
  // Adds counts with the same number of steps.
  void Add(const SampleCounts& other) {
    total_ += other.total_;
    for (size_t i = 0; i < per_step_.size(); ++i) per_step_[i] += other.per_step_[i];
  }

  bool is_per_step() const { return !per_step_.empty(); }
  int64_t total() const { return total_; }
  std::vector<int64_t> TakePerStep() { return std::move(per_step_); }

 private:
  int64_t total_ = 0;
  std::vector<int64_t> per_step_;
};

}  // namespace lockstep::engine
