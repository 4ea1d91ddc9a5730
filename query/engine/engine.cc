#include "query/engine/engine.h"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "query/engine/context/annotation_set.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/context/query_context.h"
#include "query/engine/context/query_trace.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/query_result.h"
#include "query/engine/ranges/reduced_bins.h"
#include "query/engine/selectors/duration_eval.h"
#include "query/promql/parser/parser.h"
#include "storage/storage.h"

namespace lockstep::engine {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reports what `evaluator` looked at, and drops the names that are marked in its value.
absl::Status Finish(Evaluator& evaluator, VectorValue* vector) {
  QueryStats& stats = evaluator.context().stats;
  stats.total_samples = evaluator.counts().total();
  stats.samples_per_step = evaluator.counts().TakePerStep();
  return vector == nullptr ? absl::OkStatus() : RemoveNames(*vector);
}

absl::StatusOr<EvaluatedValue> EvaluateWhole(const promql::Expr& expr, const StepGrid& grid,
                                             QueryContext& context) {
  Evaluator evaluator(context, grid);
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, evaluator.Evaluate(expr));
  LOCKSTEP_RETURN_IF_ERROR(Finish(evaluator, std::get_if<VectorValue>(&value)));
  return value;
}

absl::StatusOr<QueryValue> EvaluateInstant(const promql::Expr& expr, QueryContext& context) {
  const int64_t time_ms = context.start_ms;
  if (expr.type == promql::ValueType::kMatrix) {
    LOCKSTEP_ASSIGN_OR_RETURN(MatrixResult matrix, EvaluateRangeVector(expr, time_ms, context));
    return QueryValue(std::move(matrix));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value,
                            EvaluateWhole(expr, StepGrid::At(time_ms), context));
  return ToInstantValue(std::move(value), time_ms);
}

absl::StatusOr<QueryValue> EvaluateRange(const promql::Expr& expr, QueryContext& context) {
  const StepGrid grid = StepGrid::Over(context.start_ms, context.end_ms, context.step_ms);
  if (grid.count == 0) return QueryValue(MatrixResult());
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, EvaluateWhole(expr, grid, context));
  return QueryValue(ToMatrix(std::move(value), grid));
}

absl::StatusOr<QueryValue> EvaluateReduced(const promql::Expr& bins,
                                           std::span<const Reduction> reductions,
                                           QueryContext& context) {
  const StepGrid grid = StepGrid::Over(context.start_ms, context.end_ms, context.step_ms);
  if (grid.count == 0) return QueryValue(MatrixResult());
  Evaluator evaluator(context, grid);
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, EvaluateBins(bins, reductions, evaluator));
  LOCKSTEP_RETURN_IF_ERROR(Finish(evaluator, &vector));
  return QueryValue(ToMatrix(EvaluatedValue(std::move(vector)), grid));
}

absl::Status CheckRangeQuery(const RangeQuery& query, const promql::Expr& expr) {
  if (query.step_ms <= 0) {
    return absl::InvalidArgumentError("step of a range query must be above zero");
  }
  if (expr.type != promql::ValueType::kScalar && expr.type != promql::ValueType::kVector) {
    return absl::InvalidArgumentError("invalid expression type \"" +
                                      std::string(promql::DocumentedName(expr.type)) +
                                      "\" for range query, must be Scalar or instant Vector");
  }
  return absl::OkStatus();
}

// The times of a query. An instant query has equal start and end and no step.
struct QueryTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;
  double step_seconds = 0;
  int64_t lookback_ms = 0;
};

// Like Prometheus, adds whole seconds and the fraction, so that the sum is rounded once.
double StepSeconds(const RangeQuery& query) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  if (query.requested_step_ns == 0) return static_cast<double>(query.step_ms) / 1000;
  const int64_t whole_seconds = query.requested_step_ns / kSecondNs;
  const int64_t rest_ns = query.requested_step_ns % kSecondNs;
  return static_cast<double>(whole_seconds) + static_cast<double>(rest_ns) / 1e9;
}

// Evaluates `parsed` with `evaluate`, including the necessary setup.
template <typename Evaluate>
absl::StatusOr<QueryResult> Run(const Storage& storage, const EngineOptions& options,
                                TaskPool& pool, std::string_view text, const ParsedQuery& parsed,
                                const QueryTimes& times, const QueryOptions& query_options,
                                QueryBudget& budget, Evaluate&& evaluate) {
  const Clock::time_point start = Clock::now();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, storage.NewQuerier());
  QueryResult result;
  AnnotationSet annotations(text);
  QueryContext context{*querier, budget, pool, annotations, result.stats};
  context.lookback_ms = times.lookback_ms != 0 ? times.lookback_ms : options.lookback_ms;
  context.default_subquery_step_ms = options.default_subquery_step_ms;
  context.start_ms = times.start_ms;
  context.end_ms = times.end_ms;
  context.step_ms = times.step_ms;
  context.step_seconds = times.step_seconds;
  context.counts_per_step = query_options.counts_per_step;
  QueryTrace trace;
  if (query_options.plan) context.trace = &trace;
  if (query_options.progress != nullptr)
    context.samples_read = &query_options.progress->samples_read;
  context.histogram_stats_selectors = FindHistogramStatsSelectors(*parsed.expr);
  // The same text may mean histograms with and without buckets.
  std::optional<SharedParts> shared_parts;
  if (context.histogram_stats_selectors.empty()) {
    context.shared_parts = &shared_parts.emplace(*parsed.expr);
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckDurations(*parsed.expr, context));
  LOCKSTEP_ASSIGN_OR_RETURN(result.value, evaluate(*parsed.expr, context));
  if (query_options.plan) result.plan = BuildPlan(*parsed.expr, trace);
  result.annotations = annotations.Render();
  result.stats.parse_seconds = parsed.seconds;
  result.stats.eval_seconds = SecondsSince(start);
  result.stats.peak_samples = budget.peak_samples();
  return result;
}

}  // namespace

absl::StatusOr<ParsedQuery> Engine::Parse(std::string_view text, const QueryBudget& budget) const {
  const Clock::time_point start = Clock::now();
  LOCKSTEP_ASSIGN_OR_RETURN(promql::ExprPtr expr,
                            promql::ParseExpr(text, &budget, options_.dialect));
  return ParsedQuery{std::move(expr), SecondsSince(start)};
}

absl::StatusOr<ParsedQuery> Engine::Parse(const RangeQuery& query,
                                          const QueryBudget& budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(ParsedQuery parsed, Parse(query.text, budget));
  LOCKSTEP_RETURN_IF_ERROR(CheckRangeQuery(query, *parsed.expr));
  if (!query.reductions.empty()) {
    parsed.expr = BinsOf(std::move(parsed.expr), query.step_ms, query.resolution_ms);
  }
  return parsed;
}

absl::StatusOr<QueryResult> Engine::Execute(const InstantQuery& query, QueryBudget& budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(const ParsedQuery parsed, Parse(query.text, budget));
  const QueryTimes times{query.time_ms, query.time_ms, 0, 0, query.lookback_ms};
  return Run(storage_, options_, *pool_, query.text, parsed, times, query.options, budget,
             EvaluateInstant);
}

absl::StatusOr<QueryResult> Engine::Execute(const RangeQuery& query, QueryBudget& budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(const ParsedQuery parsed, Parse(query, budget));
  return Execute(query, parsed, budget);
}

absl::StatusOr<QueryResult> Engine::Execute(const RangeQuery& query, const ParsedQuery& parsed,
                                            QueryBudget& budget) const {
  const QueryTimes times{query.start_ms, query.end_ms, query.step_ms, StepSeconds(query),
                         query.lookback_ms};
  const auto evaluate = [&query](const promql::Expr& expr, QueryContext& context) {
    return query.reductions.empty() ? EvaluateRange(expr, context)
                                    : EvaluateReduced(expr, query.reductions, context);
  };
  return Run(storage_, options_, *pool_, query.text, parsed, times, query.options, budget,
             evaluate);
}

}  // namespace lockstep::engine
