#include "query/promql/syntax/implied_windows.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::promql {
namespace {

using Op = DurationExpr::Op;

std::optional<Op> ImpliedWindow(FunctionId id) {
  switch (id) {
    // The increases of all steps must add up to that of the whole range.
    case FunctionId::kIncreasePure:
      return Op::kImpliedStep;
    // These describe the state at a step. Like a selector, they look back for samples, however
    // short the step is.
    case FunctionId::kDefaultRollup:
    case FunctionId::kRollup:
    case FunctionId::kRollupDelta:
    case FunctionId::kRollupDeriv:
    case FunctionId::kRollupIncrease:
    case FunctionId::kRollupRate:
      return Op::kImpliedLookback;
    default:
      return std::nullopt;
  }
}

ExprPtr WithWindow(ExprPtr selector, Op window) {
  auto matrix = std::make_unique<MatrixSelector>();
  matrix->position = selector->position;
  matrix->depth = 1 + selector->depth;
  matrix->range_expr = std::make_unique<DurationExpr>();
  matrix->range_expr->op = window;
  matrix->range_expr->position = selector->position;
  matrix->selector.reset(static_cast<VectorSelector*>(selector.release()));
  return matrix;
}

}  // namespace

void GiveImpliedWindows(Call& call) {
  const std::optional<Op> window = ImpliedWindow(call.function->id);
  if (!window) return;
  const size_t count = std::min(call.args.size(), call.function->arg_types.size());
  for (size_t i = 0; i < count; ++i) {
    const bool lacks_window = call.function->arg_types[i] == ValueType::kMatrix &&
                              call.args[i]->kind == ExprKind::kVectorSelector;
    if (lacks_window) call.args[i] = WithWindow(std::move(call.args[i]), *window);
  }
}

bool HasImpliedWindow(const MatrixSelector& matrix) {
  return matrix.range_expr != nullptr && (matrix.range_expr->op == Op::kImpliedStep ||
                                          matrix.range_expr->op == Op::kImpliedLookback);
}

}  // namespace lockstep::promql
