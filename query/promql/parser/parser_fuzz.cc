// Feeds the PromQL parser: whatever it accepts must print as text that parses to the same tree, on
// one line and on several.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"
#include "query/promql/syntax/ast_equality.h"

namespace lockstep::promql {
namespace {

// Callers limit the length of a query; printing is quadratic in its depth.
constexpr size_t kMaxQueryBytes = 4096;

void CheckParsesTo(const Expr& expected, const std::string& text) {
  const absl::StatusOr<ExprPtr> again = ParseExpr(text);
  LOCKSTEP_CHECK(again.ok());
  LOCKSTEP_CHECK(SameTree(expected, **again));
}

void Run(std::string_view query) {
  if (ParseMetricSelector(query).ok()) LOCKSTEP_CHECK(!query.empty());
  const absl::StatusOr<ExprPtr> expr = ParseExpr(query);
  if (!expr.ok()) {
    LOCKSTEP_CHECK(Message(expr.status()).find("parse error: ") != std::string_view::npos);
    return;
  }
  LOCKSTEP_CHECK((*expr)->depth <= kMaxExprDepth);
  CheckParsesTo(**expr, Print(**expr));
  CheckParsesTo(**expr, PrintPretty(**expr));
}

}  // namespace
}  // namespace lockstep::promql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > lockstep::promql::kMaxQueryBytes) return 0;
  lockstep::promql::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
