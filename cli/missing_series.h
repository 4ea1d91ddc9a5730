// Why a query has no result: a metric or a label value that does not exist, or samples of another time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/http_client.h"
#include "model/matcher.h"
#include "query/promql/ast.h"

namespace lockstep::cli {

// The selectors of an expression, each as its matchers, in the order in which they are written.
std::vector<std::vector<Matcher>> SelectorsOf(const promql::Expr& expression);

// The times that a query asked about, in Unix milliseconds; equal for a query at one time.
struct QueriedTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

// Asks the server about the selectors of an expression that has no result. A line, or "" if nothing is to be said.
std::string WhyNoResult(HttpClient& client, std::string_view expression, QueriedTimes times);

}  // namespace lockstep::cli
