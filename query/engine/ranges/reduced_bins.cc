#include "query/engine/ranges/reduced_bins.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "query/engine/context/step_invariant.h"
#include "query/engine/ranges/range_series.h"
#include "query/engine/ranges/range_windows.h"
#include "query/engine/ranges/window_worker.h"
#include "query/engine/selectors/series_columns.h"

namespace lockstep::engine {
namespace {

using promql::Expr;
using promql::ExprKind;
using promql::ExprPtr;
using promql::ValueType;

ExprPtr TakeFromParens(ExprPtr expr) {
  while (expr->kind == ExprKind::kParen) {
    ExprPtr inner = std::move(static_cast<promql::ParenExpr&>(*expr).inner);
    expr = std::move(inner);
  }
  return expr;
}

// Anchored and smoothed selectors have values between their samples.
bool HasSamples(const Expr& expr) {
  return expr.kind == ExprKind::kVectorSelector &&
         promql::As<promql::VectorSelector>(expr).edges == promql::RangeEdges::kPlain;
}

ExprPtr SamplesOf(ExprPtr selector, int64_t range_ms) {
  auto matrix = std::make_unique<promql::MatrixSelector>();
  matrix->type = ValueType::kMatrix;
  matrix->position = selector->position;
  matrix->depth = selector->depth + 1;
  matrix->range_ms = range_ms;
  matrix->selector.reset(static_cast<promql::VectorSelector*>(selector.release()));
  return matrix;
}

ExprPtr VectorOf(ExprPtr scalar) {
  auto call = std::make_unique<promql::Call>();
  call->type = ValueType::kVector;
  call->position = scalar->position;
  call->depth = scalar->depth + 1;
  call->function = promql::FindFunction("vector");
  call->args.push_back(std::move(scalar));
  return call;
}

ExprPtr ValuesOf(ExprPtr expr, int64_t range_ms, int64_t resolution_ms) {
  auto subquery = std::make_unique<promql::SubqueryExpr>();
  subquery->type = ValueType::kMatrix;
  subquery->position = expr->position;
  subquery->depth = expr->depth + 1;
  subquery->range_ms = range_ms;
  subquery->step_ms = resolution_ms;
  subquery->inner = std::move(expr);
  return subquery;
}

// Reductions that need the same samples.
struct Pass {
  SamplesNeeded needed = SamplesNeeded::kAll;
  std::vector<Reduction> reductions;
};

// Where whole buckets are reduced, several passes over the few samples that stand for each bucket
// are less work than one over all samples.
std::vector<Pass> PassesFor(std::span<const Reduction> reductions, const RangeWindows& windows) {
  std::vector<Pass> passes;
  for (const Reduction reduction : reductions) {
    const SamplesNeeded needed = SamplesNeededBy(FunctionOf(reduction), windows);
    // All samples are read in any case.
    if (needed == SamplesNeeded::kAll) return {{needed, {reductions.begin(), reductions.end()}}};
    const auto same = std::ranges::find(passes, needed, &Pass::needed);
    if (same == passes.end()) {
      passes.push_back({needed, {reduction}});
    } else {
      same->reductions.push_back(reduction);
    }
  }
  // Any samples will do for a count.
  const auto count = std::ranges::find(passes, SamplesNeeded::kCount, &Pass::needed);
  if (count != passes.end() && passes.size() > 1) {
    Pass& other = count == passes.begin() ? passes.back() : passes.front();
    std::ranges::move(count->reductions, std::back_inserter(other.reductions));
    passes.erase(count);
  }
  return passes;
}

std::vector<WindowCall> CallsOf(const Pass& pass, const Expr& bins, const RangeWindows& windows) {
  std::vector<WindowCall> calls;
  for (const Reduction reduction : pass.reductions) {
    WindowCall& call = calls.emplace_back();
    call.id = FunctionOf(reduction);
    call.function = FindWindowFunction(call.id);
    call.windows = windows;
    call.windows.needed = pass.needed;
    call.range_position = ArgumentPosition(bins);
    call.first_position = call.range_position;
    call.is_range_query = true;
  }
  return calls;
}

// Computes the reductions of one series after another; one per thread.
class BinWorker {
 public:
  BinWorker(const Pass& pass, const std::vector<WindowCall>& calls, Evaluator& evaluator)
      : pass_(pass) {
    for (const WindowCall& call : calls) {
      workers_.emplace_back(call, evaluator.grid(), evaluator.context().budget);
    }
  }

  absl::Status operator()(SeriesPart& series, std::span<EvaluatedSeries> made, WorkNotes& notes) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      LOCKSTEP_RETURN_IF_ERROR(workers_[i].Apply(series, made[i].column, notes));
      if (made[i].column.empty()) continue;
      LabelSetBuilder labels(series.labels());
      labels.Set(kReduceLabel, Name(pass_.reductions[i]));
      made[i].labels = labels.Build();
    }
    return absl::OkStatus();
  }

 private:
  const Pass& pass_;
  std::vector<WindowWorker> workers_;
};

absl::StatusOr<VectorValue> EvaluatePass(const Pass& pass, const Expr& bins, RangeWindows windows,
                                         Evaluator& evaluator) {
  windows.needed = pass.needed;
  const std::vector<WindowCall> calls = CallsOf(pass, bins, windows);
  LOCKSTEP_ASSIGN_OR_RETURN(SeriesParts parts,
                            OpenRange(bins, windows, evaluator, MaxParts(evaluator.context())));
  return MakeSeries(std::move(parts), calls.size(), false, evaluator,
                    [&]() -> SeriesWorker { return BinWorker(pass, calls, evaluator); });
}

}  // namespace

ExprPtr BinsOf(ExprPtr expr, int64_t step_ms, int64_t resolution_ms) {
  expr = TakeFromParens(std::move(expr));
  if (HasSamples(*expr)) return SamplesOf(std::move(expr), step_ms);
  if (expr->type == ValueType::kScalar) expr = VectorOf(std::move(expr));
  return ValuesOf(std::move(expr), step_ms, resolution_ms);
}

absl::StatusOr<VectorValue> EvaluateBins(const Expr& bins, std::span<const Reduction> reductions,
                                         Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const RangeWindows windows, ResolveRange(bins, evaluator));
  // A subquery has all of its values.
  const std::vector<Pass> passes =
      bins.kind == ExprKind::kSubquery
          ? std::vector<Pass>{{SamplesNeeded::kAll, {reductions.begin(), reductions.end()}}}
          : PassesFor(reductions, windows);
  VectorValue all = evaluator.NewVector();
  for (const Pass& pass : passes) {
    LOCKSTEP_ASSIGN_OR_RETURN(VectorValue made, EvaluatePass(pass, bins, windows, evaluator));
    all.charge.Absorb(std::move(made.charge));
    std::ranges::move(made.series, std::back_inserter(all.series));
  }
  return all;
}

}  // namespace lockstep::engine
