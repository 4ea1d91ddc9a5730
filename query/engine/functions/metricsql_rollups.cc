
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/functions/function_eval.h"
#include "query/engine/kernels/windows/rollups.h"
#include "query/engine/ranges/window_eval.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

constexpr std::string_view kRollupLabel = "rollup";

struct NamedStatistic {
  std::string_view name;
  RollupStatistic statistic;
};
constexpr NamedStatistic kStatistics[] = {
    {"min", RollupStatistic::kMin}, {"max", RollupStatistic::kMax}, {"avg", RollupStatistic::kAvg}};

absl::StatusOr<VectorValue> EvaluateStatistic(const Call& call, RollupStatistic statistic,
                                              Evaluator& evaluator) {
  return EvaluateWindowsBy(call, FindRollupFunction(call.function->id, statistic), evaluator);
}

absl::StatusOr<EvaluatedValue> EvaluateOne(const Call& call, Evaluator& evaluator) {
  const std::string& name = StringArgument(call, 1);
  for (const NamedStatistic& one : kStatistics) {
    if (one.name != name) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector,
                              EvaluateStatistic(call, one.statistic, evaluator));
    return EvaluatedValue(std::move(vector));
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s() expects \"min\", \"max\" or \"avg\", got \"%s\"", call.function->name, name));
}

// Reads the series once for each statistic, because a column has room for one value per step.
absl::StatusOr<EvaluatedValue> EvaluateAll(const Call& call, Evaluator& evaluator) {
  VectorValue all = evaluator.NewVector();
  for (const NamedStatistic& one : kStatistics) {
    LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector,
                              EvaluateStatistic(call, one.statistic, evaluator));
    for (EvaluatedSeries& series : vector.series) {
      LOCKSTEP_RETURN_IF_ERROR(vector.charge.AddText(kRollupLabel.size() + one.name.size()));
      LabelSetBuilder builder(series.labels);
      builder.Set(kRollupLabel, one.name);
      series.labels = builder.Build();
    }
    all.charge.Absorb(std::move(vector.charge));
    std::ranges::move(vector.series, std::back_inserter(all.series));
  }
  LOCKSTEP_RETURN_IF_ERROR(MergeEqualLabels(all));
  return EvaluatedValue(std::move(all));
}

}  // namespace

bool IsRollup(FunctionId id) {
  switch (id) {
    case FunctionId::kRollup:
    case FunctionId::kRollupDelta:
    case FunctionId::kRollupDeriv:
    case FunctionId::kRollupIncrease:
    case FunctionId::kRollupRate:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<EvaluatedValue> EvaluateRollup(const Call& call, Evaluator& evaluator) {
  return call.args.size() > 1 ? EvaluateOne(call, evaluator) : EvaluateAll(call, evaluator);
}

}  // namespace lockstep::engine
