#include "query/promql/parser.h"

#include <utility>

#include "query/promql/expression_parser.h"
#include "query/promql/type_check.h"

namespace lockstep::promql {

absl::StatusOr<ExprPtr> ParseExpr(std::string_view query, const QueryBudget* budget,
                                  Dialect dialect) {
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ExpressionParser(query, budget, dialect).ParseWhole());
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
