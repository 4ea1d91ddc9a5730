// Evaluator: evaluates a syntax tree over a grid of steps to columns.
//
// One evaluator evaluates all nodes that share a grid; subqueries and step-invariant parts create
// their own. Every node is visited once for the whole grid, never once per step. Not thread-safe;
// must not outlive the context.
#pragma once

#include "base/status.h"
#include "query/engine/context/query_context.h"
#include "query/engine/values/evaluated.h"
#include "query/engine/values/sample_counts.h"
#include "query/engine/values/step_grid.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

class Evaluator {
 public:
  Evaluator(QueryContext& context, const StepGrid& grid)
      : context_(context), grid_(grid), counts_(NewCounts()) {}

  // Precondition: `expr` is type-checked and not a range vector.
  absl::StatusOr<EvaluatedValue> Evaluate(const promql::Expr& expr);
  // Precondition: `expr` has that type.
  absl::StatusOr<VectorValue> EvaluateVector(const promql::Expr& expr);
  absl::StatusOr<ScalarValue> EvaluateScalar(const promql::Expr& expr);

  QueryContext& context() const { return context_; }
  const StepGrid& grid() const { return grid_; }
  // Evaluations of one step check for duplicate labels only at the end of the query and keep the
  // order of sorted vectors.
  bool is_single_step() const { return grid_.count <= 1 && !grid_.is_range; }

  // Samples that selectors of this evaluator have looked at so far; selectors add to it.
  SampleCounts& counts() { return counts_; }
  // Empty counts for the evaluator's steps.
  SampleCounts NewCounts() const {
    return SampleCounts(context_.counts_per_step ? grid_.count : 0);
  }

  // An empty vector that charges the query's budget.
  VectorValue NewVector() const;
  // One value per step, charged to the budget; kResourceExhausted if that is exceeded.
  absl::StatusOr<ScalarValue> NewScalar() const;
  // Adds an all-absent column to `vector` for the caller to fill. The reference is valid until the
  // next call.
  Column& AddSeries(VectorValue& vector, LabelSet labels, bool drop_name) const;
  // Call after filling the series that AddSeries() added last: charges it to the budget, or removes
  // it if it is empty.
  absl::Status FinishSeries(VectorValue& vector) const;

 private:
  // A part that occurs several times is evaluated only once, unless it adds annotations, which
  // refer to a position in the query.
  absl::StatusOr<EvaluatedValue> EvaluateNode(const promql::Expr& expr);
  absl::StatusOr<EvaluatedValue> EvaluateShared(const promql::Expr& expr, SharedPart& part);
  absl::StatusOr<EvaluatedValue> EvaluateAlone(const promql::Expr& expr);
  absl::StatusOr<EvaluatedValue> EvaluateOnceAndRepeat(const promql::Expr& expr);
  absl::StatusOr<EvaluatedValue> EvaluateUnary(const promql::UnaryExpr& expr);

  QueryContext& context_;
  const StepGrid grid_;
  SampleCounts counts_;
};

}  // namespace lockstep::engine
