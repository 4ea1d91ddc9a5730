#include "query/engine/operators/binary_element.h"

#include <utility>

#include "query/engine/kernels/histograms/histogram_math.h"

namespace lockstep::engine {
namespace {

using promql::BinaryOp;
using Kind = ElementResult::Kind;

ElementResult Result(Histogram histogram) {
  return {Kind::kTrue, {0, std::make_shared<const Histogram>(std::move(histogram))}};
}

ElementResult Compared(const Element& left, bool holds) {
  return {holds ? Kind::kTrue : Kind::kFalse, left};
}

ElementResult ApplyToFloats(BinaryOp op, const Element& left, const Element& right) {
  return WithFloatOperator(op, [&](auto apply) -> ElementResult {
    const auto result = apply(left.value, right.value);
    if constexpr (std::is_same_v<decltype(result), const bool>) {
      return Compared(left, result);
    } else {
      return {Kind::kTrue, {result, nullptr}};
    }
  });
}

ElementResult Scaled(BinaryOp op, const Histogram& histogram, double factor) {
  Histogram result = histogram;
  if (op == BinaryOp::kMul) {
    Scale(result, factor);
  } else {
    Divide(result, factor);
  }
  Compact(result);
  return Result(std::move(result));
}

ElementResult Merged(BinaryOp op, const Histogram& left, const Histogram& right,
                     BinaryNotes& notes) {
  if (!SameBucketFamily(left, right)) {
    notes.IncompatibleBuckets();
    return {};
  }
  Histogram result = left;
  const bool adds = op == BinaryOp::kAdd;
  const auto operation = adds ? HistogramOperation::kAddition : HistogramOperation::kSubtraction;
  const MergeNotes merged = adds ? Add(result, right) : Subtract(result, right);
  if (!adds) result.reset_hint = CounterResetHint::kGauge;
  if (merged.conflicting_resets) notes.ConflictingResets(operation);
  if (merged.bounds_reconciled) notes.ReconciledBounds(operation);
  Compact(result);
  return Result(std::move(result));
}

ElementResult ApplyToHistograms(BinaryOp op, const Element& left, const Element& right,
                                BinaryNotes& notes) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return Merged(op, *left.histogram, *right.histogram, notes);
    case BinaryOp::kEqual:
      return Compared(left, HistogramsEqual(*left.histogram, *right.histogram));
    case BinaryOp::kNotEqual:
      return Compared(left, !HistogramsEqual(*left.histogram, *right.histogram));
    default:
      notes.IncompatibleTypes(true, true);
      return {};
  }
}

ElementResult ApplyToHistogramAndFloat(BinaryOp op, const Histogram& left, double right,
                                       BinaryNotes& notes) {
  switch (op) {
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
      return Scaled(op, left, right);
    case BinaryOp::kTrimUpper:
      return Result(TrimUpper(left, right));
    case BinaryOp::kTrimLower:
      return Result(TrimLower(left, right));
    default:
      notes.IncompatibleTypes(true, false);
      return {};
  }
}

}  // namespace

bool IsArithmetic(BinaryOp op) { return op <= BinaryOp::kAtan2; }

bool BinaryNotes::IsNew(int bit) {
  const uint32_t mask = uint32_t{1} << bit;
  const bool is_new = (seen_ & mask) == 0;
  seen_ |= mask;
  return is_new;
}

void BinaryNotes::IncompatibleTypes(bool left_is_histogram, bool right_is_histogram) {
  if (!IsNew((left_is_histogram ? 1 : 0) + (right_is_histogram ? 2 : 0))) return;
  Annotation annotation;
  annotation.kind = AnnotationKind::kIncompatibleTypes;
  annotation.left = left_is_histogram ? "histogram" : "float";
  annotation.text = promql::OperatorName(op_);
  annotation.right = right_is_histogram ? "histogram" : "float";
  annotations_.Add(std::move(annotation), position_);
}

void BinaryNotes::IncompatibleBuckets() {
  if (!IsNew(4)) return;
  Annotation annotation;
  annotation.kind = AnnotationKind::kIncompatibleBucketLayout;
  annotation.text = promql::OperatorName(op_);
  annotations_.Add(std::move(annotation), position_);
}

void BinaryNotes::ConflictingResets(HistogramOperation operation) {
  if (!IsNew(5)) return;
  Annotation annotation;
  annotation.kind = AnnotationKind::kConflictingCounterResets;
  annotation.operation = operation;
  annotations_.Add(std::move(annotation), position_);
}

void BinaryNotes::ReconciledBounds(HistogramOperation operation) {
  if (!IsNew(6)) return;
  Annotation annotation;
  annotation.kind = AnnotationKind::kMismatchedCustomBuckets;
  annotation.operation = operation;
  annotations_.Add(std::move(annotation), position_);
}

Element ElementAt(const Column& column, size_t step) {
  if (column.histogram(step) != nullptr) return {0, column.histogram_ptr(step)};
  return {column.value(step), nullptr};
}

ElementResult ApplyToElements(BinaryOp op, const Element& left, const Element& right,
                              BinaryNotes& notes) {
  const bool left_is_histogram = left.histogram != nullptr;
  const bool right_is_histogram = right.histogram != nullptr;
  if (left_is_histogram && right_is_histogram) return ApplyToHistograms(op, left, right, notes);
  if (left_is_histogram) return ApplyToHistogramAndFloat(op, *left.histogram, right.value, notes);
  if (right_is_histogram && op == BinaryOp::kMul) return Scaled(op, *right.histogram, left.value);
  if (right_is_histogram || IsTrim(op)) {
    notes.IncompatibleTypes(false, right_is_histogram);
    return {};
  }
  return ApplyToFloats(op, left, right);
}

}  // namespace lockstep::engine
