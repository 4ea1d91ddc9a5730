#include "api/training/per_step.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/derived/derived_metrics.h"
#include "answers/step_amounts.h"
#include "api/http/params.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::api {
namespace {

absl::StatusOr<training::Measured> MeasuredOf(const Form& form) {
  const std::string_view text = form.Get("per_step");
  if (text == "increase") return training::Measured::kCounter;
  if (text == "integral") return training::Measured::kRate;
  return absl::InvalidArgumentError(
      "invalid parameter \"per_step\": must be increase, for counters, or integral, for gauges of "
      "something per second");
}

absl::StatusOr<int64_t> LongestGapOf(const Form& form, int64_t default_gap_ms) {
  const std::string_view text = form.Get("lookback_delta");
  if (text.empty()) return default_gap_ms;
  const auto gap = ParseDuration(text);
  if (!gap.ok()) return Annotate(gap.status(), "invalid parameter \"lookback_delta\"");
  return std::chrono::duration_cast<std::chrono::milliseconds>(*gap).count();
}

bool IsPlain(const promql::Expr& expr) {
  if (expr.kind != promql::ExprKind::kVectorSelector) return false;
  const auto& selector = promql::As<promql::VectorSelector>(expr);
  const promql::TimeModifiers& modifiers = selector.modifiers;
  return modifiers.offset_ms == 0 && modifiers.offset_expr == nullptr &&
         modifiers.at == promql::AtModifier::kNone && selector.edges == promql::RangeEdges::kPlain;
}

absl::StatusOr<promql::ExprPtr> SelectorOf(const Form& form, const QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(promql::ExprPtr expr, promql::ParseExpr(form.Get("query"), &budget));
  if (!IsPlain(*expr)) {
    return absl::InvalidArgumentError(
        "per_step requires a selector without functions, operators and modifiers as its query, "
        "such as DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"}");
  }
  if (answers::MentionsDerivedMetric(form.Get("query"))) {
    return absl::InvalidArgumentError(
        "per_step requires a stored series as its query, and metrics that begin with lockstep_ "
        "are computed");
  }
  return expr;
}

engine::MatrixResult MatrixOf(std::vector<answers::SeriesAmounts> found,
                              const std::vector<int64_t>& steps) {
  engine::MatrixResult matrix;
  for (answers::SeriesAmounts& series : found) {
    engine::MatrixSeries& row = matrix.emplace_back();
    row.labels = std::move(series.labels);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (std::isnan(series.amounts[i])) continue;
      row.samples.Append(steps[i] * kMsPerStep, series.amounts[i]);
    }
  }
  return matrix;
}

}  // namespace

absl::StatusOr<engine::QueryValue> AmountsOverSteps(const Form& form, const answers::StepEnds& ends,
                                                    int64_t default_gap_ms,
                                                    const answers::QuestionContext& context) {
  answers::StepAmountsQuestion question{.matchers = {}};
  LOCKSTEP_ASSIGN_OR_RETURN(question.measured, MeasuredOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.longest_gap_ms, LongestGapOf(form, default_gap_ms));
  question.in_role_units = form.Get("units") == "role";
  LOCKSTEP_ASSIGN_OR_RETURN(const promql::ExprPtr expr, SelectorOf(form, context.budget));
  question.matchers = promql::As<promql::VectorSelector>(*expr).matchers;
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<answers::SeriesAmounts> found,
                            answers::AnswerStepAmounts(question, ends, context));
  return engine::QueryValue(MatrixOf(std::move(found), ends.step));
}

}  // namespace lockstep::api
