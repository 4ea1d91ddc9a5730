#include "query/engine/operators/binary_eval.h"

#include <utility>

namespace lockstep::engine {
namespace {

struct Operation {
  const promql::BinaryExpr& expr;
  const std::vector<double>& scalars;
  ScalarSide side;
};

// For columns of floats only: selects the operator once for all steps.
void ApplyToFloats(const Operation& operation, Column& column) {
  WithFloatOperator(operation.expr.op, [&](auto apply) {
    const auto at = [&](size_t step, double value) {
      const double scalar = operation.scalars[step];
      return operation.side == ScalarSide::kRight ? apply(value, scalar) : apply(scalar, value);
    };
    if (IsArithmetic(operation.expr.op) || operation.expr.return_bool) {
      column.MapFloats(
          [&](size_t step, double value) { return static_cast<double>(at(step, value)); });
    } else {
      column.ForEachPresent([&](size_t step) {
        if (!at(step, column.value(step))) column.Erase(step);
      });
    }
  });
}

void StoreResult(const Operation& operation, const ElementResult& result, size_t step,
                 Column& column) {
  const bool holds = result.kind == ElementResult::Kind::kTrue;
  if (result.kind == ElementResult::Kind::kNothing) {
    column.Erase(step);
  } else if (operation.expr.return_bool) {
    column.SetFloat(step, holds ? 1 : 0);
  } else if (IsComparison(operation.expr.op)) {
    if (!holds) column.Erase(step);  // otherwise the vector's own element stays
  } else if (result.element.histogram != nullptr) {
    column.SetHistogram(step, result.element.histogram);
  } else {
    column.SetFloat(step, result.element.value);
  }
}

void ApplyToAny(const Operation& operation, Column& column, BinaryNotes& notes) {
  column.ForEachPresent([&](size_t step) {
    const Element element = ElementAt(column, step);
    const Element scalar{operation.scalars[step], nullptr};
    const bool scalar_is_right = operation.side == ScalarSide::kRight;
    StoreResult(operation,
                scalar_is_right ? ApplyToElements(operation.expr.op, element, scalar, notes)
                                : ApplyToElements(operation.expr.op, scalar, element, notes),
                step, column);
  });
}

}  // namespace

VectorValue ApplyToVectorAndScalar(const promql::BinaryExpr& expr, VectorValue vector,
                                   const ScalarValue& scalar, ScalarSide side, BinaryNotes& notes) {
  const Operation operation{expr, scalar.values, side};
  for (EvaluatedSeries& series : vector.series) {
    if (series.column.has_histograms() || IsTrim(expr.op)) {
      ApplyToAny(operation, series.column, notes);
    } else {
      ApplyToFloats(operation, series.column);
    }
    if (IsArithmetic(expr.op) || expr.return_bool) series.drop_name = true;
  }
  std::erase_if(vector.series, [](const EvaluatedSeries& series) { return series.column.empty(); });
  return vector;
}

}  // namespace lockstep::engine
