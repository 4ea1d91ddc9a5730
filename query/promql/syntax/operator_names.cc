#include "query/promql/syntax/operator_names.h"

namespace lockstep::promql {

std::string_view OperatorName(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return "+";
    case BinaryOp::kSub:
      return "-";
    case BinaryOp::kMul:
      return "*";
    case BinaryOp::kDiv:
      return "/";
    case BinaryOp::kMod:
      return "%";
    case BinaryOp::kPow:
      return "^";
    case BinaryOp::kAtan2:
      return "atan2";
    case BinaryOp::kEqual:
      return "==";
    case BinaryOp::kNotEqual:
      return "!=";
    case BinaryOp::kGreater:
      return ">";
    case BinaryOp::kLess:
      return "<";
    case BinaryOp::kGreaterEqual:
      return ">=";
    case BinaryOp::kLessEqual:
      return "<=";
    case BinaryOp::kAnd:
      return "and";
    case BinaryOp::kOr:
      return "or";
    case BinaryOp::kUnless:
      return "unless";
    case BinaryOp::kTrimUpper:
      return "</";
    case BinaryOp::kTrimLower:
      return ">/";
  }
  return "?";
}

std::string_view AggregatorName(AggregateOp op) {
  switch (op) {
    case AggregateOp::kSum:
      return "sum";
    case AggregateOp::kAvg:
      return "avg";
    case AggregateOp::kCount:
      return "count";
    case AggregateOp::kMin:
      return "min";
    case AggregateOp::kMax:
      return "max";
    case AggregateOp::kGroup:
      return "group";
    case AggregateOp::kStddev:
      return "stddev";
    case AggregateOp::kStdvar:
      return "stdvar";
    case AggregateOp::kTopk:
      return "topk";
    case AggregateOp::kBottomk:
      return "bottomk";
    case AggregateOp::kCountValues:
      return "count_values";
    case AggregateOp::kQuantile:
      return "quantile";
    case AggregateOp::kLimitk:
      return "limitk";
    case AggregateOp::kLimitRatio:
      return "limit_ratio";
  }
  return "?";
}

}  // namespace lockstep::promql
