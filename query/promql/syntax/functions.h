// The functions of PromQL: names, argument types, result types. The engine implements them.
#pragma once

#include <span>
#include <string_view>

namespace lockstep::promql {

enum class ValueType { kNone, kScalar, kVector, kMatrix, kString };

// "none", "scalar", "instant vector", "range vector" or "string", for error messages.
std::string_view DocumentedName(ValueType type);

// One per function, named after it: kRate, kHistogramQuantile, kLabelReplace...
enum class FunctionId {
  kAbs,
  kAbsent,
  kAbsentOverTime,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kAvgOverTime,
  kCeil,
  kChanges,
  kClamp,
  kClampMax,
  kClampMin,
  kCos,
  kCosh,
  kCountOverTime,
  kDayOfMonth,
  kDayOfWeek,
  kDayOfYear,
  kDaysInMonth,
  kDeg,
  kDelta,
  kDeriv,
  kDoubleExponentialSmoothing,
  kEnd,
  kExp,
  kFirstOverTime,
  kFloor,
  kHistogramAvg,
  kHistogramCount,
  kHistogramFraction,
  kHistogramQuantile,
  kHistogramQuantiles,
  kHistogramStddev,
  kHistogramStdvar,
  kHistogramSum,
  kHour,
  kIdelta,
  kIncrease,
  kInfo,
  kIrate,
  kLabelJoin,
  kLabelReplace,
  kLastOverTime,
  kLn,
  kLog10,
  kLog2,
  kMadOverTime,
  kMaxOf,
  kMaxOverTime,
  kMinOf,
  kMinOverTime,
  kMinute,
  kMonth,
  kPi,
  kPredictLinear,
  kPresentOverTime,
  kQuantileOverTime,
  kRad,
  kRange,
  kRate,
  kResets,
  kRound,
  kScalar,
  kSgn,
  kSin,
  kSinh,
  kSort,
  kSortByLabel,
  kSortByLabelDesc,
  kSortDesc,
  kSqrt,
  kStart,
  kStartTimestamp,
  kStddevOverTime,
  kStdvarOverTime,
  kStep,
  kSumOverTime,
  kTan,
  kTanh,
  kTime,
  kTimestamp,
  kTsOfFirstOverTime,
  kTsOfLastOverTime,
  kTsOfMaxOverTime,
  kTsOfMinOverTime,
  kVector,
  kYear,
  // Functions of MetricsQL.
  kAlias,
  kDefaultRollup,
  kIncreasePure,
  kKeepLastValue,
  kLabelDel,
  kLabelKeep,
  kLabelMatch,
  kLabelMismatch,
  kLabelSet,
  kLimitOffset,
  kRollup,
  kRollupDelta,
  kRollupDeriv,
  kRollupIncrease,
  kRollupRate,
  kRunningAvg,
  kRunningMax,
  kRunningMin,
  kRunningSum,
  kUnion,
};

struct FunctionSignature {
  FunctionId id;
  std::string_view name;
  std::span<const ValueType> arg_types;
  // 0: exactly arg_types. n > 0: at least all but the last, and at most n more than that. -1: at
  // least all but the last, and any number more. Arguments beyond arg_types have the last type.
  int variadic;
  ValueType return_type;
  bool experimental;
};

// Null if there is no such function. Names are case-sensitive.
const FunctionSignature* FindFunction(std::string_view name);
// All functions, sorted by name.
std::span<const FunctionSignature> AllFunctions();

// The same for the additional functions of MetricsQL. No name is in both.
const FunctionSignature* FindMetricsqlFunction(std::string_view name);
std::span<const FunctionSignature> AllMetricsqlFunctions();

}  // namespace lockstep::promql
