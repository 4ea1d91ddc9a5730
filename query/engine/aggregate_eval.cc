#include "query/engine/aggregate_eval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/engine/aggregate_groups.h"
#include "query/engine/count_values.h"
#include "query/engine/kernels/aggregators.h"
#include "query/engine/kernels/quantile.h"
#include "query/engine/selecting_aggregates.h"
#include "query/engine/step_invariant.h"

namespace lockstep::engine {
namespace {

using promql::AggregateExpr;
using promql::AggregateOp;

bool SelectsElements(AggregateOp op) {
  return op == AggregateOp::kTopk || op == AggregateOp::kBottomk || op == AggregateOp::kLimitk ||
         op == AggregateOp::kLimitRatio;
}

void WarnOfQuantile(double q, const AggregateExpr& expr, Evaluator& evaluator) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kInvalidQuantile;
  annotation.number = q;
  evaluator.context().annotations.Add(std::move(annotation), WithoutParens(*expr.param).position);
}

// One warning for NaN, which hides the others, or one for each end that the steps go beyond.
void CheckQuantiles(const std::vector<double>& quantiles, const AggregateExpr& expr,
                    Evaluator& evaluator) {
  double largest = 1;
  double smallest = 0;
  bool any_nan = false;
  for (const double q : quantiles) {
    any_nan = any_nan || std::isnan(q);
    largest = std::fmax(largest, q);
    smallest = std::fmin(smallest, q);
  }
  if (any_nan) return WarnOfQuantile(std::nan(""), expr, evaluator);
  if (largest > 1) WarnOfQuantile(largest, expr, evaluator);
  if (smallest < 0) WarnOfQuantile(smallest, expr, evaluator);
}

// Folds groups one after the other, each a block of steps at a time: one row of accumulators serves all.
class GroupFolder {
 public:
  // `params`: quantile's q per step, else empty.
  GroupFolder(const AggregateExpr& expr, const std::vector<double>& params, Evaluator& evaluator)
      : expr_(expr), params_(params), evaluator_(evaluator) {}

  absl::Status Fold(AggregateGroup& group, const std::vector<EvaluatedSeries>& series,
                    VectorValue& output) {
    bool drop_name = false;
    for (const uint32_t index : group.members) drop_name = drop_name || series[index].drop_name;
    Column& column = evaluator_.AddSeries(output, std::move(group.labels), drop_name);
    const StepBlock span = SpanOf(group, series);
    for (size_t begin = span.begin; begin < span.end; begin += kBlockSteps) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      block_ = {begin, std::min(begin + kBlockSteps, span.end)};
      row_.clear();
      row_.resize(block_.end - block_.begin);
      for (const uint32_t index : group.members) AddSeries(series[index]);
      Finish(column);
    }
    return evaluator_.FinishSeries(output);
  }

 private:
  static constexpr size_t kBlockSteps = 4096;

  // All steps at which a member has a value.
  static StepBlock SpanOf(const AggregateGroup& group, const std::vector<EvaluatedSeries>& series) {
    StepBlock span = series[group.members[0]].column.span();
    for (const uint32_t index : group.members) {
      const StepBlock member = series[index].column.span();
      span = {std::min(span.begin, member.begin), std::max(span.end, member.end)};
    }
    return span;
  }

  GroupAccumulator& At(size_t step) { return row_[step - block_.begin]; }

  void AddSeries(const EvaluatedSeries& series) {
    const Column& column = series.column;
    if (!column.has_histograms()) return AddFloats(column);
    column.ForEachPresent(block_, [&](size_t step) {
      if (const Histogram* histogram = column.histogram(step); histogram != nullptr) {
        At(step).Add(expr_.op, *histogram, sink_);
      } else {
        At(step).Add(expr_.op, column.value(step));
      }
    });
    Report(series.labels.metric_name());
  }

  void AddFloats(const Column& column) {
    switch (expr_.op) {
      case AggregateOp::kSum:
        return AddFloats<AggregateOp::kSum>(column);
      case AggregateOp::kAvg:
        return AddFloats<AggregateOp::kAvg>(column);
      case AggregateOp::kMin:
        return AddFloats<AggregateOp::kMin>(column);
      case AggregateOp::kMax:
        return AddFloats<AggregateOp::kMax>(column);
      default:
        column.ForEachPresent(block_,
                              [&](size_t step) { At(step).Add(expr_.op, column.value(step)); });
    }
  }

  template <AggregateOp kOp>
  void AddFloats(const Column& column) {
    column.ForEachPresent(block_, [&](size_t step) { At(step).Add(kOp, column.value(step)); });
  }

  void Finish(Column& column) {
    for (size_t step = block_.begin; step < block_.end; ++step) {
      WindowResult result = At(step).Finish(expr_.op, params_.empty() ? 0 : params_[step], sink_);
      if (result.kind == WindowResult::Kind::kFloat) column.SetFloat(step, result.value);
      if (result.kind == WindowResult::Kind::kHistogram) {
        column.SetHistogram(step, std::move(result.histogram));
      }
    }
    Report({});
  }

  void Report(std::string_view metric_name) {
    evaluator_.context().annotations.Absorb(sink_, metric_name, expr_.operand->position);
  }

  const AggregateExpr& expr_;
  const std::vector<double>& params_;
  Evaluator& evaluator_;
  AnnotationSink sink_;
  StepBlock block_;
  std::vector<GroupAccumulator> row_;  // by step of the block
};

absl::StatusOr<EvaluatedValue> FoldGroups(const AggregateExpr& expr,
                                          const std::vector<double>& params,
                                          const VectorValue& operand,
                                          std::vector<AggregateGroup> groups,
                                          Evaluator& evaluator) {
  VectorValue output = evaluator.NewVector();
  GroupFolder folder(expr, params, evaluator);
  for (AggregateGroup& group : groups) {
    LOCKSTEP_RETURN_IF_ERROR(folder.Fold(group, operand.series, output));
  }
  return EvaluatedValue(std::move(output));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateAggregate(const AggregateExpr& expr, Evaluator& evaluator) {
  if (expr.op == AggregateOp::kCountValues) return CountValues(expr, evaluator);
  ScalarValue params;
  if (expr.param != nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(params, evaluator.EvaluateScalar(*expr.param));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue operand, evaluator.EvaluateVector(*expr.operand));
  std::vector<AggregateGroup> groups =
      GroupSeries(operand.series, Grouping{expr.grouping, expr.without});
  if (SelectsElements(expr.op)) {
    return SelectElements(expr, params.values, std::move(operand), groups, evaluator);
  }
  if (expr.op == AggregateOp::kQuantile) CheckQuantiles(params.values, expr, evaluator);
  return FoldGroups(expr, params.values, operand, std::move(groups), evaluator);
}

}  // namespace lockstep::engine
