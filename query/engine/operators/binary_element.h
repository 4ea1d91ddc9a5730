// One binary operator on one pair of elements.
#pragma once

#include <cstdint>
#include <string_view>

#include "query/engine/context/annotation_set.h"
#include "query/engine/kernels/numbers/math_functions.h"
#include "query/engine/values/column.h"
#include "query/promql/syntax/ast.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {

bool IsArithmetic(promql::BinaryOp op);  // includes atan2

// Calls `visit` with a function of two doubles that computes `op`, so that loops over floats select
// the operator once. Precondition: `op` is arithmetic or a comparison; comparisons return bool.
template <typename Visit>
auto WithFloatOperator(promql::BinaryOp op, Visit&& visit) {
  using promql::BinaryOp;
  switch (op) {
    case BinaryOp::kAdd:
      return visit([](double a, double b) { return a + b; });
    case BinaryOp::kSub:
      return visit([](double a, double b) { return a - b; });
    case BinaryOp::kMul:
      return visit([](double a, double b) { return a * b; });
    case BinaryOp::kDiv:
      return visit([](double a, double b) { return a / b; });
    case BinaryOp::kMod:
      return visit([](double a, double b) { return Modulo(a, b); });
    case BinaryOp::kPow:
      return visit([](double a, double b) { return Power(a, b); });
    case BinaryOp::kAtan2:
      return visit([](double a, double b) { return Atan2(a, b); });
    case BinaryOp::kEqual:
      return visit([](double a, double b) { return a == b; });
    case BinaryOp::kNotEqual:
      return visit([](double a, double b) { return a != b; });
    case BinaryOp::kGreater:
      return visit([](double a, double b) { return a > b; });
    case BinaryOp::kLess:
      return visit([](double a, double b) { return a < b; });
    case BinaryOp::kGreaterEqual:
      return visit([](double a, double b) { return a >= b; });
    default:
      return visit([](double a, double b) { return a <= b; });
  }
}

// Reports problems between elements, each only once. Borrows the set.
class BinaryNotes {
 public:
  BinaryNotes(AnnotationSet& annotations, const promql::BinaryExpr& expr)
      : annotations_(annotations), op_(expr.op), position_(expr.position) {}

  void IncompatibleTypes(bool left_is_histogram, bool right_is_histogram);
  void IncompatibleBuckets();
  void ConflictingResets(HistogramOperation operation);
  void ReconciledBounds(HistogramOperation operation);

 private:
  bool IsNew(int bit);

  AnnotationSet& annotations_;
  const promql::BinaryOp op_;
  const promql::PositionRange position_;
  uint32_t seen_ = 0;
};

struct Element {
  double value = 0;
  HistogramPtr histogram;  // if set, `value` is unused
};
Element ElementAt(const Column& column, size_t step);

struct ElementResult {
  enum class Kind : uint8_t {
    kNothing,  // the operands are incompatible
    kFalse,    // a false comparison; `element` is still its left operand
    kTrue,     // a result or a true comparison
  };
  Kind kind = Kind::kNothing;
  Element element;
};

// Applies any operator except set operators. A comparison returns the left operand.
ElementResult ApplyToElements(promql::BinaryOp op, const Element& left, const Element& right,
                              BinaryNotes& notes);

}  // namespace lockstep::engine
