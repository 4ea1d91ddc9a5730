#include "query/engine/aggregates/aggregate_eval.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "query/engine/aggregates/aggregate_groups.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/aggregators.h"

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

// Adds one warning for NaN, which hides the others, or one for each bound that some step exceeds.
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

bool HasHistograms(const AggregateGroup& group, const std::vector<EvaluatedSeries>& series) {
  return std::ranges::any_of(group.members,
                             [&](uint32_t index) { return series[index].column.has_histograms(); });
}

// Folds groups that have histograms one after another, a block of steps at a time, so that one row
// of accumulators serves all.
class MixedFolder {
 public:
  MixedFolder(const AggregateExpr& expr, const std::vector<double>& params,
              const std::vector<EvaluatedSeries>& series, Evaluator& evaluator)
      : expr_(expr), params_(params), series_(series), evaluator_(evaluator) {}

  absl::Status Fold(const AggregateGroup& group, Column& column) {
    const StepBlock span = SpanOf(group, series_);
    for (size_t begin = span.begin; begin < span.end; begin += kBlockSteps) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      block_ = {begin, std::min(begin + kBlockSteps, span.end)};
      row_.clear();
      row_.resize(block_.end - block_.begin);
      for (const uint32_t index : group.members) AddSeries(series_[index]);
      Finish(column);
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kBlockSteps = 4096;

  GroupAccumulator& At(size_t step) { return row_[step - block_.begin]; }

  void AddSeries(const EvaluatedSeries& series) {
    const Column& column = series.column;
    column.ForEachPresent(block_, [&](size_t step) {
      if (const Histogram* histogram = column.histogram(step); histogram != nullptr) {
        At(step).Add(expr_.op, *histogram, sink_);
      } else {
        At(step).Add(expr_.op, column.value(step));
      }
    });
    Report(series.labels.metric_name());
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
    evaluator_.context().annotations.Absorb(sink_, metric_name,
                                            WithoutParens(*expr_.operand).position);
  }

  const AggregateExpr& expr_;
  const std::vector<double>& params_;
  const std::vector<EvaluatedSeries>& series_;
  Evaluator& evaluator_;
  AnnotationSink sink_;
  StepBlock block_;
  std::vector<GroupAccumulator> row_;  // by step of the block
};

// Folds groups in order: many float groups at once, other groups one at a time.
class GroupFolder {
 public:
  // `params`: quantile's q per step, otherwise empty.
  GroupFolder(const AggregateExpr& expr, const std::vector<double>& params,
              const std::vector<EvaluatedSeries>& series, Evaluator& evaluator)
      : question_{expr.op, params},
        series_(series),
        evaluator_(evaluator),
        mixed_(expr, params, series, evaluator),
        output_(evaluator.NewVector()) {}

  absl::StatusOr<VectorValue> Fold(std::span<AggregateGroup> groups) {
    while (!groups.empty()) {
      const size_t count = CountFloatGroups(groups);
      LOCKSTEP_RETURN_IF_ERROR(count == 0 ? FoldMixed(groups[0])
                                          : FoldFloatGroups(groups.first(count)));
      groups = groups.subspan(std::max<size_t>(count, 1));
    }
    return std::move(output_);
  }

 private:
  // The maximum number of group steps not yet charged to the budget.
  static constexpr size_t kMaxUncharged = size_t{1} << 20;

  // The number of leading groups without histograms, limited by their steps.
  size_t CountFloatGroups(std::span<const AggregateGroup> groups) const {
    size_t count = 0;
    for (size_t steps = 0; count < groups.size() && steps < kMaxUncharged; ++count) {
      if (HasHistograms(groups[count], series_)) break;
      steps += evaluator_.grid().count;
    }
    return count;
  }

  absl::Status FoldFloatGroups(std::span<AggregateGroup> groups) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Column> columns,
                              FoldFloats(question_, series_, groups, evaluator_.context()));
    for (size_t i = 0; i < groups.size(); ++i) {
      AddSeries(groups[i]) = std::move(columns[i]);
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.FinishSeries(output_));
    }
    return absl::OkStatus();
  }

  absl::Status FoldMixed(AggregateGroup& group) {
    LOCKSTEP_RETURN_IF_ERROR(mixed_.Fold(group, AddSeries(group)));
    return evaluator_.FinishSeries(output_);
  }

  Column& AddSeries(AggregateGroup& group) {
    const bool drop_name = std::ranges::any_of(
        group.members, [this](uint32_t index) { return series_[index].drop_name; });
    return evaluator_.AddSeries(output_, std::move(group.labels), drop_name);
  }

  const FoldQuestion question_;
  const std::vector<EvaluatedSeries>& series_;
  Evaluator& evaluator_;
  MixedFolder mixed_;
  VectorValue output_;
};

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
  LOCKSTEP_ASSIGN_OR_RETURN(
      VectorValue folded, GroupFolder(expr, params.values, operand.series, evaluator).Fold(groups));
  return EvaluatedValue(std::move(folded));
}

}  // namespace lockstep::engine
