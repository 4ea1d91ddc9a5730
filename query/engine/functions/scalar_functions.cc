#include "query/engine/functions/function_eval.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "query/engine/kernels/numbers/math_functions.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

double Seconds(int64_t milliseconds) { return static_cast<double>(milliseconds) / 1000; }

absl::StatusOr<EvaluatedValue> Repeat(double value, const Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, evaluator.NewScalar());
  std::fill(scalar.values.begin(), scalar.values.end(), value);
  return EvaluatedValue(std::move(scalar));
}

absl::StatusOr<EvaluatedValue> Time(const Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, evaluator.NewScalar());
  for (size_t step = 0; step < scalar.values.size(); ++step) {
    scalar.values[step] = Seconds(evaluator.grid().TimeAt(step));
  }
  return EvaluatedValue(std::move(scalar));
}

absl::StatusOr<EvaluatedValue> ChooseOf(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue a, evaluator.EvaluateScalar(*call.args[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const ScalarValue b, evaluator.EvaluateScalar(*call.args[1]));
  const auto choose = call.function->id == FunctionId::kMaxOf ? MaxOf : MinOf;
  for (size_t step = 0; step < a.values.size(); ++step) {
    a.values[step] = choose(a.values[step], b.values[step]);
  }
  return EvaluatedValue(std::move(a));
}

// The only float of the vector; NaN if there is none or more than one.
absl::StatusOr<EvaluatedValue> Scalar(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, evaluator.NewScalar());
  std::vector<uint32_t> found(scalar.values.size());
  for (const EvaluatedSeries& series : vector.series) {
    series.column.ForEachPresent([&](size_t step) {
      if (!series.column.has_float(step)) return;
      ++found[step];
      scalar.values[step] = series.column.value(step);
    });
  }
  for (size_t step = 0; step < found.size(); ++step) {
    if (found[step] != 1) scalar.values[step] = std::numeric_limits<double>::quiet_NaN();
  }
  return EvaluatedValue(std::move(scalar));
}

absl::StatusOr<EvaluatedValue> Vector(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ScalarValue scalar, evaluator.EvaluateScalar(*call.args[0]));
  VectorValue vector = evaluator.NewVector();
  Column& column = evaluator.AddSeries(vector, LabelSet(), false);
  for (size_t step = 0; step < scalar.values.size(); ++step) {
    column.SetFloat(step, scalar.values[step]);
  }
  LOCKSTEP_RETURN_IF_ERROR(evaluator.FinishSeries(vector));
  return EvaluatedValue(std::move(vector));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateScalarFunction(const Call& call, Evaluator& evaluator) {
  const QueryContext& context = evaluator.context();
  switch (call.function->id) {
    case FunctionId::kTime:
      return Time(evaluator);
    case FunctionId::kPi:
      return Repeat(std::numbers::pi, evaluator);
    case FunctionId::kStart:
      return Repeat(Seconds(context.start_ms), evaluator);
    case FunctionId::kEnd:
      return Repeat(Seconds(context.end_ms), evaluator);
    case FunctionId::kRange:
      return Repeat(Seconds(context.end_ms - context.start_ms), evaluator);
    case FunctionId::kStep:
      // 0 if the bounds allow only one step.
      return Repeat(context.start_ms == context.end_ms ? 0 : context.step_seconds, evaluator);
    case FunctionId::kMaxOf:
    case FunctionId::kMinOf:
      return ChooseOf(call, evaluator);
    case FunctionId::kScalar:
      return Scalar(call, evaluator);
    default:
      return Vector(call, evaluator);
  }
}

}  // namespace lockstep::engine
