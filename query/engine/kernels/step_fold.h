// StepFold: one group of an aggregation of floats at neighbouring steps, two steps at a time.
//
// For sum, avg, min, max, stddev, stdvar, count and group. Results are those of one
// GroupAccumulator per step, to the bit. Not thread-safe; keeps memory for the next group.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

class StepFold {
 public:
  struct Result {
    enum class Kind { kNone, kFloat, kUnknown };

    // kUnknown: to be computed by a GroupAccumulator.
    Kind kind = Kind::kNone;
    double value = 0;
  };

  // Forgets all values. Precondition: `op` is one of those above.
  void Reset(promql::AggregateOp op, size_t step_count);
  // Adds the values of a member at the steps from `first` on. Precondition: it has one at each of
  // them.
  void Add(size_t first, std::span<const double> values);
  Result At(size_t step) const;

 private:
  template <typename AddAt>
  void AddEach(size_t first, std::span<const double> values, AddAt add_at);

  promql::AggregateOp op_ = promql::AggregateOp::kSum;
  // By step: the sum and its compensation, the mean and the squared differences, or the extreme.
  std::vector<double> counts_;
  std::vector<double> main_;
  std::vector<double> other_;
};

}  // namespace lockstep::engine
