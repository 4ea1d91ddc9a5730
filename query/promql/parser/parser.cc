#include "query/promql/parser/parser.h"

#include <utility>

#include "query/promql/parser/expression_parser.h"
#include "query/promql/parser/type_check.h"

namespace lockstep::promql {

namespace {

absl::StatusOr<ExprPtr> ParseUntyped(std::string_view query, const QueryBudget* budget,
                                     Dialect dialect) {
  ExpressionParser parser(query, budget, dialect);
  absl::StatusOr<ExprPtr> expr = parser.ParseWhole();
  if (dialect == Dialect::kPromql || parser.names_metricsql()) return expr;
  if (expr.ok() && !parser.has_list()) return expr;
  // A query that uses nothing of MetricsQL is PromQL and gets the errors of Prometheus.
  return ExpressionParser(query, budget, Dialect::kPromql).ParseWhole();
}

}  // namespace

absl::StatusOr<ExprPtr> ParseExpr(std::string_view query, const QueryBudget* budget,
                                  Dialect dialect) {
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ParseUntyped(query, budget, dialect));
  LOCKSTEP_RETURN_IF_ERROR(CheckTypes(query, *expr));
  return expr;
}

absl::StatusOr<std::vector<Matcher>> ParseMetricSelector(std::string_view selector,
                                                         const QueryBudget* budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      std::unique_ptr<VectorSelector> parsed,
      ExpressionParser(selector, budget, Dialect::kPromql).ParseWholeSelector());
  return std::move(parsed->matchers);
}

}  // namespace lockstep::promql
