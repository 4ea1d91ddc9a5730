#include "query/promql/syntax/functions.h"

#include <algorithm>
#include <iterator>

namespace lockstep::promql {
namespace {

constexpr ValueType S = ValueType::kScalar;
constexpr ValueType V = ValueType::kVector;
constexpr ValueType M = ValueType::kMatrix;
constexpr ValueType T = ValueType::kString;

// One array per list of argument types.
template <ValueType... types>
constexpr ValueType kArgs[] = {types...};

constexpr std::span<const ValueType> kNoArgs;
constexpr bool kExperimental = true;
constexpr int kOneOptional = 1;
constexpr int kAnyNumber = -1;
// histogram_quantiles takes one to ten quantiles; its last type applies to those after the first.
constexpr int kUpToTenQuantiles = 9;

constexpr FunctionSignature kFunctions[] = {
    {FunctionId::kAbs, "abs", kArgs<V>, 0, V, false},
    {FunctionId::kAbsent, "absent", kArgs<V>, 0, V, false},
    {FunctionId::kAbsentOverTime, "absent_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kAcos, "acos", kArgs<V>, 0, V, false},
    {FunctionId::kAcosh, "acosh", kArgs<V>, 0, V, false},
    {FunctionId::kAsin, "asin", kArgs<V>, 0, V, false},
    {FunctionId::kAsinh, "asinh", kArgs<V>, 0, V, false},
    {FunctionId::kAtan, "atan", kArgs<V>, 0, V, false},
    {FunctionId::kAtanh, "atanh", kArgs<V>, 0, V, false},
    {FunctionId::kAvgOverTime, "avg_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kCeil, "ceil", kArgs<V>, 0, V, false},
    {FunctionId::kChanges, "changes", kArgs<M>, 0, V, false},
    {FunctionId::kClamp, "clamp", kArgs<V, S, S>, 0, V, false},
    {FunctionId::kClampMax, "clamp_max", kArgs<V, S>, 0, V, false},
    {FunctionId::kClampMin, "clamp_min", kArgs<V, S>, 0, V, false},
    {FunctionId::kCos, "cos", kArgs<V>, 0, V, false},
    {FunctionId::kCosh, "cosh", kArgs<V>, 0, V, false},
    {FunctionId::kCountOverTime, "count_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kDayOfMonth, "day_of_month", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kDayOfWeek, "day_of_week", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kDayOfYear, "day_of_year", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kDaysInMonth, "days_in_month", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kDeg, "deg", kArgs<V>, 0, V, false},
    {FunctionId::kDelta, "delta", kArgs<M>, 0, V, false},
    {FunctionId::kDeriv, "deriv", kArgs<M>, 0, V, false},
    {FunctionId::kDoubleExponentialSmoothing, "double_exponential_smoothing", kArgs<M, S, S>, 0, V,
     kExperimental},
    {FunctionId::kEnd, "end", kNoArgs, 0, S, kExperimental},
    {FunctionId::kExp, "exp", kArgs<V>, 0, V, false},
    {FunctionId::kFirstOverTime, "first_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kFloor, "floor", kArgs<V>, 0, V, false},
    {FunctionId::kHistogramAvg, "histogram_avg", kArgs<V>, 0, V, false},
    {FunctionId::kHistogramCount, "histogram_count", kArgs<V>, 0, V, false},
    {FunctionId::kHistogramFraction, "histogram_fraction", kArgs<S, S, V>, 0, V, false},
    {FunctionId::kHistogramQuantile, "histogram_quantile", kArgs<S, V>, 0, V, false},
    {FunctionId::kHistogramQuantiles, "histogram_quantiles", kArgs<V, T, S, S>, kUpToTenQuantiles,
     V, kExperimental},
    {FunctionId::kHistogramStddev, "histogram_stddev", kArgs<V>, 0, V, false},
    {FunctionId::kHistogramStdvar, "histogram_stdvar", kArgs<V>, 0, V, false},
    {FunctionId::kHistogramSum, "histogram_sum", kArgs<V>, 0, V, false},
    {FunctionId::kHour, "hour", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kIdelta, "idelta", kArgs<M>, 0, V, false},
    {FunctionId::kIncrease, "increase", kArgs<M>, 0, V, false},
    {FunctionId::kInfo, "info", kArgs<V, V>, kOneOptional, V, kExperimental},
    {FunctionId::kIrate, "irate", kArgs<M>, 0, V, false},
    {FunctionId::kLabelJoin, "label_join", kArgs<V, T, T, T>, kAnyNumber, V, false},
    {FunctionId::kLabelReplace, "label_replace", kArgs<V, T, T, T, T>, 0, V, false},
    {FunctionId::kLastOverTime, "last_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kLn, "ln", kArgs<V>, 0, V, false},
    {FunctionId::kLog10, "log10", kArgs<V>, 0, V, false},
    {FunctionId::kLog2, "log2", kArgs<V>, 0, V, false},
    {FunctionId::kMadOverTime, "mad_over_time", kArgs<M>, 0, V, kExperimental},
    {FunctionId::kMaxOf, "max_of", kArgs<S, S>, 0, S, kExperimental},
    {FunctionId::kMaxOverTime, "max_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kMinOf, "min_of", kArgs<S, S>, 0, S, kExperimental},
    {FunctionId::kMinOverTime, "min_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kMinute, "minute", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kMonth, "month", kArgs<V>, kOneOptional, V, false},
    {FunctionId::kPi, "pi", kNoArgs, 0, S, false},
    {FunctionId::kPredictLinear, "predict_linear", kArgs<M, S>, 0, V, false},
    {FunctionId::kPresentOverTime, "present_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kQuantileOverTime, "quantile_over_time", kArgs<S, M>, 0, V, false},
    {FunctionId::kRad, "rad", kArgs<V>, 0, V, false},
    {FunctionId::kRange, "range", kNoArgs, 0, S, kExperimental},
    {FunctionId::kRate, "rate", kArgs<M>, 0, V, false},
    {FunctionId::kResets, "resets", kArgs<M>, 0, V, false},
    {FunctionId::kRound, "round", kArgs<V, S>, kOneOptional, V, false},
    {FunctionId::kScalar, "scalar", kArgs<V>, 0, S, false},
    {FunctionId::kSgn, "sgn", kArgs<V>, 0, V, false},
    {FunctionId::kSin, "sin", kArgs<V>, 0, V, false},
    {FunctionId::kSinh, "sinh", kArgs<V>, 0, V, false},
    {FunctionId::kSort, "sort", kArgs<V>, 0, V, false},
    {FunctionId::kSortByLabel, "sort_by_label", kArgs<V, T>, kAnyNumber, V, kExperimental},
    {FunctionId::kSortByLabelDesc, "sort_by_label_desc", kArgs<V, T>, kAnyNumber, V, kExperimental},
    {FunctionId::kSortDesc, "sort_desc", kArgs<V>, 0, V, false},
    {FunctionId::kSqrt, "sqrt", kArgs<V>, 0, V, false},
    {FunctionId::kStart, "start", kNoArgs, 0, S, kExperimental},
    {FunctionId::kStartTimestamp, "start_timestamp", kArgs<V>, 0, V, kExperimental},
    {FunctionId::kStddevOverTime, "stddev_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kStdvarOverTime, "stdvar_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kStep, "step", kNoArgs, 0, S, kExperimental},
    {FunctionId::kSumOverTime, "sum_over_time", kArgs<M>, 0, V, false},
    {FunctionId::kTan, "tan", kArgs<V>, 0, V, false},
    {FunctionId::kTanh, "tanh", kArgs<V>, 0, V, false},
    {FunctionId::kTime, "time", kNoArgs, 0, S, false},
    {FunctionId::kTimestamp, "timestamp", kArgs<V>, 0, V, false},
    {FunctionId::kTsOfFirstOverTime, "ts_of_first_over_time", kArgs<M>, 0, V, kExperimental},
    {FunctionId::kTsOfLastOverTime, "ts_of_last_over_time", kArgs<M>, 0, V, kExperimental},
    {FunctionId::kTsOfMaxOverTime, "ts_of_max_over_time", kArgs<M>, 0, V, kExperimental},
    {FunctionId::kTsOfMinOverTime, "ts_of_min_over_time", kArgs<M>, 0, V, kExperimental},
    {FunctionId::kVector, "vector", kArgs<S>, 0, V, false},
    {FunctionId::kYear, "year", kArgs<V>, kOneOptional, V, false},
};

// Additional functions of MetricsQL: docs/metricsql.md.
constexpr FunctionSignature kMetricsqlFunctions[] = {
    {FunctionId::kAlias, "alias", kArgs<V, T>, 0, V, false},
    {FunctionId::kDefaultRollup, "default_rollup", kArgs<M>, 0, V, false},
    {FunctionId::kIncreasePure, "increase_pure", kArgs<M>, 0, V, false},
    {FunctionId::kKeepLastValue, "keep_last_value", kArgs<V>, 0, V, false},
    {FunctionId::kLabelDel, "label_del", kArgs<V, T, T>, kAnyNumber, V, false},
    {FunctionId::kLabelKeep, "label_keep", kArgs<V, T, T>, kAnyNumber, V, false},
    {FunctionId::kLabelMatch, "label_match", kArgs<V, T, T>, 0, V, false},
    {FunctionId::kLabelMismatch, "label_mismatch", kArgs<V, T, T>, 0, V, false},
    {FunctionId::kLabelSet, "label_set", kArgs<V, T, T, T>, kAnyNumber, V, false},
    {FunctionId::kLimitOffset, "limit_offset", kArgs<S, S, V>, 0, V, false},
    {FunctionId::kRollup, "rollup", kArgs<M, T>, kOneOptional, V, false},
    {FunctionId::kRollupDelta, "rollup_delta", kArgs<M, T>, kOneOptional, V, false},
    {FunctionId::kRollupDeriv, "rollup_deriv", kArgs<M, T>, kOneOptional, V, false},
    {FunctionId::kRollupIncrease, "rollup_increase", kArgs<M, T>, kOneOptional, V, false},
    {FunctionId::kRollupRate, "rollup_rate", kArgs<M, T>, kOneOptional, V, false},
    {FunctionId::kRunningAvg, "running_avg", kArgs<V>, 0, V, false},
    {FunctionId::kRunningMax, "running_max", kArgs<V>, 0, V, false},
    {FunctionId::kRunningMin, "running_min", kArgs<V>, 0, V, false},
    {FunctionId::kRunningSum, "running_sum", kArgs<V>, 0, V, false},
    {FunctionId::kUnion, "union", kArgs<V, V>, kAnyNumber, V, false},
};

constexpr bool ByName(const FunctionSignature& a, const FunctionSignature& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(std::begin(kFunctions), std::end(kFunctions), ByName));
static_assert(std::is_sorted(std::begin(kMetricsqlFunctions), std::end(kMetricsqlFunctions),
                             ByName));

const FunctionSignature* FindIn(std::span<const FunctionSignature> functions,
                                std::string_view name) {
  const auto found = std::ranges::lower_bound(functions, name, {}, &FunctionSignature::name);
  return found != functions.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::string_view DocumentedName(ValueType type) {
  switch (type) {
    case ValueType::kNone:
      return "none";
    case ValueType::kScalar:
      return "scalar";
    case ValueType::kVector:
      return "instant vector";
    case ValueType::kMatrix:
      return "range vector";
    case ValueType::kString:
      return "string";
  }
  return "unknown";
}

const FunctionSignature* FindFunction(std::string_view name) { return FindIn(kFunctions, name); }

std::span<const FunctionSignature> AllFunctions() { return kFunctions; }

const FunctionSignature* FindMetricsqlFunction(std::string_view name) {
  return FindIn(kMetricsqlFunctions, name);
}

std::span<const FunctionSignature> AllMetricsqlFunctions() { return kMetricsqlFunctions; }

}  // namespace lockstep::promql
