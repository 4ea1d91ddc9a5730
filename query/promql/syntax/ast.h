// The syntax tree of a PromQL expression.
//
// Created by ParseExpr() (parser.h), which also fills in every `type`; read by the engine and the
// printer. Trees are plain data, without clock or store. Positions are byte offsets into the query
// text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/matcher.h"
#include "query/promql/syntax/functions.h"

namespace lockstep::promql {

struct PositionRange {
  int start = 0;  // first byte
  int end = 0;    // one past the last
  bool operator==(const PositionRange&) const = default;
};

enum class ExprKind {
  kNumber,
  kString,
  kParen,
  kUnary,
  kBinary,
  kVectorSelector,
  kMatrixSelector,
  kSubquery,
  kAggregate,
  kCall,
};

struct Expr {
  virtual ~Expr() = default;
  const ExprKind kind;
  ValueType type = ValueType::kNone;
  PositionRange position;
  // The number of levels of this tree, including itself. At most kMaxExprDepth (parser.h), so that
  // tree walks can recurse.
  int depth = 1;

 protected:
  explicit Expr(ExprKind kind) : kind(kind) {}
};
using ExprPtr = std::unique_ptr<Expr>;

// Arithmetic inside a range, a step or an offset: `[5m * 2]`, `offset -(step())`. Values are
// seconds.
struct DurationExpr {
  enum class Op {
    kNumber,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMod,
    kPow,
    kNegate,
    kStep,
    kRange,
    kMin,
    kMax,
    // A window that the query omits (implied_windows.h); never part of another expression.
    kImpliedStep,      // the step of a range query, the lookback of an instant query
    kImpliedLookback,  // the longer of the two
  };
  Op op = Op::kNumber;
  double seconds = 0;        // kNumber
  bool is_duration = false;  // kNumber: written as a duration (5m), not as a number
  bool parenthesized = false;
  std::unique_ptr<DurationExpr> lhs;  // also the operand of kNegate
  std::unique_ptr<DurationExpr> rhs;
  PositionRange position;
};

struct NumberLiteral : Expr {
  NumberLiteral() : Expr(ExprKind::kNumber) {}
  double value = 0;
  bool is_duration = false;  // written and printed as a duration
};

struct StringLiteral : Expr {
  StringLiteral() : Expr(ExprKind::kString) {}
  std::string value;
};

struct ParenExpr : Expr {
  ParenExpr() : Expr(ExprKind::kParen) {}
  ExprPtr inner;
};

struct UnaryExpr : Expr {
  UnaryExpr() : Expr(ExprKind::kUnary) {}
  bool negate = false;  // '-' rather than '+'
  ExprPtr operand;
};

enum class BinaryOp {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,  // arithmetic
  kEqual,
  kNotEqual,
  kGreater,
  kLess,
  kGreaterEqual,
  kLessEqual,  // comparison
  kAnd,
  kOr,
  kUnless,  // set
  kTrimUpper,
  kTrimLower,  // `</` and `>/`, histograms only
};

enum class MatchCardinality { kOneToOne, kManyToOne, kOneToMany, kManyToMany };

// How the elements of two vectors are matched.
struct VectorMatching {
  MatchCardinality cardinality = MatchCardinality::kOneToOne;
  bool on = false;  // `labels` are matched on rather than ignored
  std::vector<std::string> labels;
  std::vector<std::string> include;  // of group_left / group_right
  std::optional<double> fill_left;
  std::optional<double> fill_right;
};

struct BinaryExpr : Expr {
  BinaryExpr() : Expr(ExprKind::kBinary) {}
  BinaryOp op = BinaryOp::kAdd;
  ExprPtr lhs;
  ExprPtr rhs;
  bool return_bool = false;
  PositionRange op_position;
  std::optional<VectorMatching> matching;  // set if and only if both sides are vectors
};

enum class AtModifier { kNone, kTimestamp, kStart, kEnd };

// `offset` and `@` of a selector or subquery.
struct TimeModifiers {
  int64_t offset_ms = 0;                      // used if offset_expr is null
  std::unique_ptr<DurationExpr> offset_expr;  // its value depends on the query's step or range
  AtModifier at = AtModifier::kNone;
  int64_t at_ms = 0;  // kTimestamp
};

enum class RangeEdges { kPlain, kAnchored, kSmoothed };

struct VectorSelector : Expr {
  VectorSelector() : Expr(ExprKind::kVectorSelector) {}
  std::string name;               // "" if only matchers were given
  std::vector<Matcher> matchers;  // includes the __name__ matcher for `name`
  TimeModifiers modifiers;
  RangeEdges edges = RangeEdges::kPlain;
};

struct MatrixSelector : Expr {
  MatrixSelector() : Expr(ExprKind::kMatrixSelector) {}
  std::unique_ptr<VectorSelector> selector;  // carries the modifiers
  int64_t range_ms = 0;                      // used if range_expr is null
  std::unique_ptr<DurationExpr> range_expr;
};

struct SubqueryExpr : Expr {
  SubqueryExpr() : Expr(ExprKind::kSubquery) {}
  ExprPtr inner;
  int64_t range_ms = 0;
  std::unique_ptr<DurationExpr> range_expr;
  int64_t step_ms = 0;  // 0: the engine's default
  std::unique_ptr<DurationExpr> step_expr;
  TimeModifiers modifiers;
};

enum class AggregateOp {
  kSum,
  kAvg,
  kCount,
  kMin,
  kMax,
  kGroup,
  kStddev,
  kStdvar,
  kTopk,
  kBottomk,
  kCountValues,
  kQuantile,
  kLimitk,
  kLimitRatio,
};

struct AggregateExpr : Expr {
  AggregateExpr() : Expr(ExprKind::kAggregate) {}
  AggregateOp op = AggregateOp::kSum;
  ExprPtr operand;
  ExprPtr param;  // null for operators without one
  std::vector<std::string> grouping;
  bool without = false;
};

struct Call : Expr {
  Call() : Expr(ExprKind::kCall) {}
  const FunctionSignature* function = nullptr;  // static storage
  std::vector<ExprPtr> args;
};

// Static casts by kind. Precondition: `expr.kind` is the kind of T.
template <typename T>
const T& As(const Expr& expr) {
  return static_cast<const T&>(expr);
}

}  // namespace lockstep::promql
