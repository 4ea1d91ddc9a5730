// Evaluator: a syntax tree over a grid of steps to columns.
//
// One evaluator evaluates all nodes that share a grid; subqueries and step-invariant parts make another
// one for theirs. Every node is visited once for the whole grid, never once per step. Used by one
// thread; must not outlive the context.
#pragma once

#include "base/status.h"
#include "query/engine/evaluated.h"
#include "query/engine/query_context.h"
#include "query/engine/sample_counts.h"
#include "query/engine/step_grid.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

class Evaluator {
 public:
  Evaluator(QueryContext& context, const StepGrid& grid)
      : context_(context), grid_(grid), counts_(NewCounts()) {}

  // Precondition: `expr` is type-checked and no range vector.
  absl::StatusOr<EvaluatedValue> Evaluate(const promql::Expr& expr);
  // Preconditions: `expr` is of that type.
  absl::StatusOr<VectorValue> EvaluateVector(const promql::Expr& expr);
  absl::StatusOr<ScalarValue> EvaluateScalar(const promql::Expr& expr);

  QueryContext& context() const { return context_; }
  const StepGrid& grid() const { return grid_; }
  // Of one step: duplicates of labels are looked for at the end of the query only, and what a function
  // sorts stays sorted.
  bool is_single_step() const { return grid_.count <= 1 && !grid_.is_range; }

  // What selectors under this evaluator looked at so far; they add to it.
  SampleCounts& counts() { return counts_; }
  // None yet, of the evaluator's steps.
  SampleCounts NewCounts() const {
    return SampleCounts(context_.counts_per_step ? grid_.count : 0);
  }

  // Empty, charging the query's budget.
  VectorValue NewVector() const;
  // One value per step, charged; kResourceExhausted when that is too much.
  absl::StatusOr<ScalarValue> NewScalar() const;
  // Adds an all-absent column to `vector`, for the caller to fill; it stays where it is until the next.
  Column& AddSeries(VectorValue& vector, LabelSet labels, bool drop_name) const;
  // To be called when the series that AddSeries added last is filled: charges it to the budget, or
  // removes it if it is empty.
  absl::Status FinishSeries(VectorValue& vector) const;

 private:
  // What the query has more than once is evaluated for the first of them, unless it leaves annotations:
  // these have a place in the query.
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
