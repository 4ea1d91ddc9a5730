#include "query/engine/functions/function_eval.h"

#include <utility>

#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/histograms/histogram_functions.h"
#include "query/engine/kernels/numbers/calendar_functions.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/math_functions.h"
#include "query/engine/selectors/selector_eval.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

using HistogramFunction = double (*)(const Histogram&);

HistogramFunction FindHistogramFunction(FunctionId id) {
  switch (id) {
    case FunctionId::kHistogramCount:
      return HistogramCount;
    case FunctionId::kHistogramSum:
      return HistogramTotal;
    case FunctionId::kHistogramAvg:
      return HistogramAverage;
    case FunctionId::kHistogramStddev:
      return HistogramStddev;
    case FunctionId::kHistogramStdvar:
      return HistogramVariance;
    default:
      return nullptr;
  }
}

void RemoveEmpty(VectorValue& vector) {
  std::erase_if(vector.series, [](const EvaluatedSeries& series) { return series.column.empty(); });
}

// Maps floats and drops histograms.
template <typename Map>
EvaluatedValue MapFloats(VectorValue vector, Map&& map) {
  for (EvaluatedSeries& series : vector.series) {
    series.drop_name = true;
    series.column.DropHistograms();
    series.column.MapFloats(map);
  }
  RemoveEmpty(vector);
  return EvaluatedValue(std::move(vector));
}

// Maps histograms and drops floats.
EvaluatedValue MapHistograms(VectorValue vector, HistogramFunction function) {
  for (EvaluatedSeries& series : vector.series) {
    series.drop_name = true;
    Column& column = series.column;
    column.ForEachPresent([&](size_t step) {
      if (const Histogram* histogram = column.histogram(step); histogram != nullptr) {
        column.SetFloat(step, function(*histogram));
      } else {
        column.Erase(step);
      }
    });
  }
  RemoveEmpty(vector);
  return EvaluatedValue(std::move(vector));
}

// Argument `index`, or `otherwise` at every step if it is omitted.
absl::StatusOr<std::vector<double>> ScalarArgument(const Call& call, size_t index, double otherwise,
                                                   Evaluator& evaluator) {
  if (index >= call.args.size()) {
    return std::vector<double>(evaluator.grid().count, otherwise);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, evaluator.EvaluateScalar(*call.args[index]));
  return std::move(scalar.values);
}

absl::StatusOr<EvaluatedValue> RoundTo(const Call& call, VectorValue vector, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> nearest,
                            ScalarArgument(call, 1, 1, evaluator));
  return MapFloats(std::move(vector),
                   [&](size_t step, double value) { return Round(value, nearest[step]); });
}

absl::StatusOr<EvaluatedValue> ClampBetween(const Call& call, VectorValue vector,
                                            Evaluator& evaluator) {
  const FunctionId id = call.function->id;
  const size_t min_index = id == FunctionId::kClampMax ? call.args.size() : 1;
  const size_t max_index = id == FunctionId::kClampMin   ? call.args.size()
                           : id == FunctionId::kClampMax ? 1
                                                         : 2;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> min,
                            ScalarArgument(call, min_index, -kInfinity, evaluator));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> max,
                            ScalarArgument(call, max_index, kInfinity, evaluator));
  for (EvaluatedSeries& series : vector.series) {
    series.column.ForEachPresent([&](size_t step) {
      if (ClampIsEmpty(min[step], max[step])) series.column.Erase(step);
    });
  }
  return MapFloats(std::move(vector),
                   [&](size_t step, double value) { return Clamp(value, min[step], max[step]); });
}

// Without an argument, calendar functions use the evaluation time.
absl::StatusOr<EvaluatedValue> CalendarOfNow(CalendarFunction calendar,
                                             const Evaluator& evaluator) {
  VectorValue vector = evaluator.NewVector();
  Column& column = evaluator.AddSeries(vector, LabelSet(), false);
  for (size_t step = 0; step < evaluator.grid().count; ++step) {
    column.SetFloat(step, calendar(static_cast<double>(evaluator.grid().TimeAt(step)) / 1000));
  }
  LOCKSTEP_RETURN_IF_ERROR(evaluator.FinishSeries(vector));
  return EvaluatedValue(std::move(vector));
}

absl::StatusOr<EvaluatedValue> Timestamp(const Call& call, Evaluator& evaluator) {
  const promql::Expr& argument = WithoutParens(*call.args[0]);
  if (argument.kind == promql::ExprKind::kVectorSelector) {
    LOCKSTEP_ASSIGN_OR_RETURN(VectorValue times,
                              EvaluateSampleTimes(promql::As<promql::VectorSelector>(argument),
                                                  evaluator, NewestHistogram::kIsASample));
    for (EvaluatedSeries& series : times.series) series.drop_name = true;
    return EvaluatedValue(std::move(times));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(argument));
  for (EvaluatedSeries& series : vector.series) {
    series.drop_name = true;
    series.column.ForEachPresent([&](size_t step) {
      series.column.SetFloat(step, static_cast<double>(evaluator.grid().TimeAt(step)) / 1000);
    });
  }
  return EvaluatedValue(std::move(vector));
}

// Only plain selectors have start timestamps; other expressions do not keep them.
absl::StatusOr<EvaluatedValue> StartTimestamp(const Call& call, Evaluator& evaluator) {
  const promql::Expr& argument = WithoutParens(*call.args[0]);
  if (argument.kind != promql::ExprKind::kVectorSelector) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.EvaluateVector(argument).status());
    return EvaluatedValue(evaluator.NewVector());
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      VectorValue times,
      EvaluateStartTimes(promql::As<promql::VectorSelector>(argument), evaluator));
  for (EvaluatedSeries& series : times.series) series.drop_name = true;
  return EvaluatedValue(std::move(times));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateElementwise(const Call& call, Evaluator& evaluator) {
  const FunctionId id = call.function->id;
  if (id == FunctionId::kTimestamp) return Timestamp(call, evaluator);
  if (id == FunctionId::kStartTimestamp) return StartTimestamp(call, evaluator);
  const CalendarFunction calendar = FindCalendarFunction(id);
  if (calendar != nullptr && call.args.empty()) return CalendarOfNow(calendar, evaluator);

  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  if (calendar != nullptr) return MapFloats(std::move(vector), calendar);
  if (const MathFunction math = FindMathFunction(id); math != nullptr) {
    return MapFloats(std::move(vector), math);
  }
  if (const HistogramFunction function = FindHistogramFunction(id); function != nullptr) {
    return MapHistograms(std::move(vector), function);
  }
  if (id == FunctionId::kRound) return RoundTo(call, std::move(vector), evaluator);
  return ClampBetween(call, std::move(vector), evaluator);
}

}  // namespace lockstep::engine
