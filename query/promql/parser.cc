#include "query/promql/parser.h"

#include <utility>

#include "query/promql/expression_parser.h"
#include "query/promql/type_check.h"

namespace lockstep::promql {

absl::StatusOr<ExprPtr> ParseExpr(std::string_view query) {
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ExpressionParser(query).ParseWhole());
  LOCKSTEP_RETURN_IF_ERROR(CheckTypes(query, *expr));
  return expr;
}

absl::StatusOr<std::vector<Matcher>> ParseMetricSelector(std::string_view selector) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<VectorSelector> parsed,
                            ExpressionParser(selector).ParseWholeSelector());
  return std::move(parsed->matchers);
}

}  // namespace lockstep::promql
