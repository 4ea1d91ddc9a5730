#include "query/promql/printer.h"

#include "query/promql/line_printer.h"

namespace lockstep::promql {

std::string Print(const Expr& expr) {
  std::string out;
  LinePrinter(out, nullptr).Append(expr);
  return out;
}

}  // namespace lockstep::promql
