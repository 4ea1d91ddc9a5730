#include "query/engine/aggregates/aggregate_eval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/float_format.h"
#include "query/engine/aggregates/bounded_heap.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/numbers/hash_ratio.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {
namespace {

using promql::AggregateExpr;
using promql::AggregateOp;

struct ParamExtent {
  double smallest = 0;
  double largest = 0;
  bool any_nan = false;
};

ParamExtent ExtentOfParams(const std::vector<double>& params) {
  ParamExtent extent{params.empty() ? 0 : params[0], params.empty() ? 0 : params[0], false};
  for (const double param : params) {
    extent.any_nan = extent.any_nan || std::isnan(param);
    extent.smallest = std::fmin(extent.smallest, param);
    extent.largest = std::fmax(extent.largest, param);
  }
  return extent;
}

absl::Status CheckCounts(const ParamExtent& extent) {
  constexpr double kInt64Limit = 9223372036854775808.0;  // 2^63
  if (extent.any_nan) return absl::FailedPreconditionError("Parameter value is NaN");
  if (extent.smallest <= -kInt64Limit) {
    return absl::FailedPreconditionError("Scalar value " + FormatShortValue(extent.smallest) +
                                         " underflows int64");
  }
  if (extent.largest >= kInt64Limit) {
    return absl::FailedPreconditionError("Scalar value " + FormatShortValue(extent.largest) +
                                         " overflows int64");
  }
  return absl::OkStatus();
}

void WarnOfRatio(double ratio, double capped, const AggregateExpr& expr, Evaluator& evaluator) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kInvalidRatio;
  annotation.number = ratio;
  annotation.capped = capped;
  evaluator.context().annotations.Add(std::move(annotation), WithoutParens(*expr.param).position);
}

// Selects elements of the operand: erases the others and, for a single step, records the order of
// selection.
class Selector {
 public:
  Selector(const AggregateExpr& expr, const std::vector<double>& params, VectorValue operand,
           Evaluator& evaluator)
      : expr_(expr), params_(params), operand_(std::move(operand)), evaluator_(evaluator) {}

  void LimitRatio() {
    for (EvaluatedSeries& series : operand_.series) {
      series.column.ForEachPresent([&](size_t step) {
        const double ratio = std::clamp(params_[step], -1.0, 1.0);
        if (ratio == 0 || !KeepsByRatio(ratio, series.labels)) series.column.Erase(step);
      });
    }
  }

  void LimitCount(const std::vector<AggregateGroup>& groups) {
    std::vector<int64_t> left(evaluator_.grid().count);
    for (const AggregateGroup& group : groups) {
      for (size_t step = 0; step < left.size(); ++step) left[step] = CountAt(step);
      for (const uint32_t index : group.members) {
        Column& column = operand_.series[index].column;
        column.ForEachPresent([&](size_t step) {
          if (--left[step] < 0) column.Erase(step);
        });
      }
    }
  }

  absl::Status Rank(const std::vector<AggregateGroup>& groups) {
    IgnoreHistograms();
    BoundedHeap heap(expr_.op == AggregateOp::kTopk ? RankOrder::kLargestFirst
                                                    : RankOrder::kSmallestFirst);
    std::vector<bool> chosen(operand_.series.size());
    for (const AggregateGroup& group : groups) {
      for (size_t step = 0; step < evaluator_.grid().count; ++step) {
        LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
        RankStep(group, step, heap, chosen);
      }
    }
    return absl::OkStatus();
  }

  VectorValue Take() {
    if (evaluator_.is_single_step() && !order_.empty()) {
      std::vector<EvaluatedSeries> ordered;
      for (const uint32_t index : order_) ordered.push_back(std::move(operand_.series[index]));
      operand_.series = std::move(ordered);
    }
    std::erase_if(operand_.series,
                  [](const EvaluatedSeries& series) { return series.column.empty(); });
    return std::move(operand_);
  }

 private:
  int64_t CountAt(size_t step) const { return static_cast<int64_t>(params_[step]); }

  void IgnoreHistograms() {
    for (EvaluatedSeries& series : operand_.series) {
      if (!series.column.DropHistograms()) continue;
      Annotation annotation;
      annotation.kind = AnnotationKind::kHistogramIgnoredInAggregation;
      annotation.text = promql::AggregatorName(expr_.op);
      evaluator_.context().annotations.Add(std::move(annotation), expr_.position);
    }
  }

  // `chosen` is scratch memory, all false before and after.
  void RankStep(const AggregateGroup& group, size_t step, BoundedHeap& heap,
                std::vector<bool>& chosen) {
    const int64_t count = std::min(CountAt(step), static_cast<int64_t>(group.members.size()));
    if (count >= 1) {
      heap.Reset(static_cast<size_t>(count));
      for (const uint32_t index : group.members) {
        const Column& column = operand_.series[index].column;
        if (column.present(step)) heap.Offer({column.value(step), index});
      }
      for (const RankedElement& element : heap.Ranked()) {
        chosen[element.index] = true;
        if (evaluator_.is_single_step()) order_.push_back(element.index);
      }
    }
    for (const uint32_t index : group.members) {
      Column& column = operand_.series[index].column;
      if (column.present(step) && !chosen[index]) column.Erase(step);
      chosen[index] = false;
    }
  }

  const AggregateExpr& expr_;
  const std::vector<double>& params_;
  VectorValue operand_;
  Evaluator& evaluator_;
  std::vector<uint32_t> order_;  // of series, only in an evaluation of one step
};

}  // namespace

absl::StatusOr<EvaluatedValue> SelectElements(const AggregateExpr& expr,
                                              const std::vector<double>& params,
                                              VectorValue operand,
                                              const std::vector<AggregateGroup>& groups,
                                              Evaluator& evaluator) {
  const ParamExtent extent = ExtentOfParams(params);
  const bool is_ratio = expr.op == AggregateOp::kLimitRatio;
  if (is_ratio) {
    if (extent.any_nan) return absl::FailedPreconditionError("Ratio value is NaN");
    if (extent.largest > 1) WarnOfRatio(extent.largest, 1, expr, evaluator);
    if (extent.smallest < -1) WarnOfRatio(extent.smallest, -1, expr, evaluator);
  } else {
    if (!extent.any_nan && extent.largest < 1) return EvaluatedValue(evaluator.NewVector());
    LOCKSTEP_RETURN_IF_ERROR(CheckCounts(extent));
  }
  Selector selector(expr, params, std::move(operand), evaluator);
  if (is_ratio) {
    selector.LimitRatio();
  } else if (expr.op == AggregateOp::kLimitk) {
    selector.LimitCount(groups);
  } else {
    LOCKSTEP_RETURN_IF_ERROR(selector.Rank(groups));
  }
  return EvaluatedValue(selector.Take());
}

}  // namespace lockstep::engine
