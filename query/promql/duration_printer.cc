#include <cmath>

#include "absl/strings/str_format.h"
#include "base/float_format.h"
#include "query/promql/literal.h"
#include "query/promql/print_parts.h"
#include "query/promql/printer.h"

namespace lockstep::promql {
namespace {

using Op = DurationExpr::Op;

std::string PrintInfix(const DurationExpr& duration, std::string_view op) {
  return absl::StrFormat("%s %s %s", PrintDuration(*duration.lhs), op,
                         PrintDuration(*duration.rhs));
}

std::string PrintBare(const DurationExpr& duration) {
  switch (duration.op) {
    case Op::kNumber:
      return duration.is_duration ? PrintDurationMs(std::llround(duration.seconds * 1000))
                                  : FormatPlainValue(duration.seconds);
    case Op::kAdd:
      return PrintInfix(duration, "+");
    case Op::kSub:
      return PrintInfix(duration, "-");
    case Op::kMul:
      return PrintInfix(duration, "*");
    case Op::kDiv:
      return PrintInfix(duration, "/");
    case Op::kMod:
      return PrintInfix(duration, "%");
    case Op::kPow:
      return PrintInfix(duration, "^");
    case Op::kNegate:
      return "-" + PrintDuration(*duration.lhs);
    case Op::kStep:
      return "step()";
    case Op::kRange:
      return "range()";
    case Op::kMin:
      return absl::StrFormat("min_of(%s, %s)", PrintDuration(*duration.lhs),
                             PrintDuration(*duration.rhs));
    case Op::kMax:
      return absl::StrFormat("max_of(%s, %s)", PrintDuration(*duration.lhs),
                             PrintDuration(*duration.rhs));
    case Op::kImpliedStep:
    case Op::kImpliedLookback:
      break;
  }
  return {};
}

}  // namespace

std::string PrintDuration(const DurationExpr& duration) {
  const std::string bare = PrintBare(duration);
  return duration.parenthesized ? "(" + bare + ")" : bare;
}

}  // namespace lockstep::promql
