// SampleCounts: how many samples an evaluation looked at, as Prometheus counts them: at every step, each
// sample that a selector gives or that lies in a window, histograms by their size. Those inside a subquery
// do not count, the points that it makes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "query/engine/column.h"

namespace lockstep::engine {

// A plain value, of the steps of one evaluator.
class SampleCounts {
 public:
  // `step_count` 0: only the total is kept.
  explicit SampleCounts(size_t step_count) : per_step_(step_count) {}

  void Add(size_t step, int64_t samples) {
    total_ += samples;
    if (!per_step_.empty()) per_step_[step] += samples;
  }
  // Without saying where. Precondition: !is_per_step().
  void AddToTotal(int64_t samples) { total_ += samples; }
  void AddAtEveryStep(size_t step_count, int64_t samples) {
    total_ += static_cast<int64_t>(step_count) * samples;
    for (int64_t& count : per_step_) count += samples;
  }
  // What an instant selector gave.
  void Add(const Column& column);
  // Those of as many steps.
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
