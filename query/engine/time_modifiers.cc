#include "query/engine/time_modifiers.h"

#include "query/engine/duration_eval.h"

namespace lockstep::engine {
namespace {

int64_t PinnedTime(const promql::TimeModifiers& modifiers, const QueryContext& context) {
  switch (modifiers.at) {
    case promql::AtModifier::kStart:
      return context.start_ms;
    case promql::AtModifier::kEnd:
      return context.end_ms;
    default:
      return modifiers.at_ms;
  }
}

}  // namespace

absl::StatusOr<SelectionTimes> ResolveTimes(const promql::TimeModifiers& modifiers,
                                            const StepGrid& grid, const QueryContext& context) {
  int64_t offset_ms = modifiers.offset_ms;
  if (modifiers.offset_expr != nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(offset_ms, EvaluateDuration(*modifiers.offset_expr, context));
  }
  if (modifiers.at != promql::AtModifier::kNone) {
    return SelectionTimes{StepGrid::At(PinnedTime(modifiers, context) - offset_ms), true};
  }
  return SelectionTimes{{grid.start_ms - offset_ms, grid.step_ms, grid.count}, false};
}

}  // namespace lockstep::engine
