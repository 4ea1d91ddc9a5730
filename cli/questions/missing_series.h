// Explains why a query has no result: an unknown metric or label value, or no samples at that time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/http_client.h"
#include "model/matcher.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::cli {

// The selectors of an expression in source order, each as its matchers.
std::vector<std::vector<Matcher>> SelectorsOf(const promql::Expr& expression);

// The time range of a query, in Unix milliseconds; start and end are equal for an instant query.
struct QueriedTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

// Asks the server about the selectors of an expression that has no result. Returns one line, or ""
// if there is nothing to report.
std::string WhyNoResult(HttpClient& client, std::string_view expression, QueriedTimes times);

}  // namespace lockstep::cli
