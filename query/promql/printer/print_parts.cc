#include "query/promql/printer/print_parts.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "model/labels.h"
#include "query/promql/parser/literal.h"
#include "query/promql/parser/token.h"
#include "query/promql/printer/printer.h"
#include "query/promql/syntax/implied_windows.h"
#include "query/promql/syntax/operator_names.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string PrintLabels(const std::vector<std::string>& labels) {
  std::vector<std::string> printed;
  for (const std::string& label : labels) {
    const TokenKind kind = KeywordKind(label);
    const bool plain = IsGroupingLabel(kind) && IsLegacyMetricName(label);
    printed.push_back(plain ? label : Quote(label));
  }
  return Join(printed, ", ");
}

std::string PrintMatcher(const Matcher& matcher) {
  const std::string name =
      IsLegacyLabelName(matcher.name()) ? matcher.name() : Quote(matcher.name());
  return absl::StrFormat("%s%s%s", name, ToString(matcher.type()), Quote(matcher.value()));
}

std::string PrintSelectorBody(const VectorSelector& selector) {
  std::vector<std::string> matchers;
  for (const Matcher& matcher : selector.matchers) {
    const bool is_name = !selector.name.empty() && matcher.name() == kMetricName &&
                         matcher.type() == MatchType::kEqual && matcher.value() == selector.name;
    if (!is_name) matchers.push_back(PrintMatcher(matcher));
  }
  if (matchers.empty() && !selector.name.empty()) return selector.name;
  std::sort(matchers.begin(), matchers.end());
  return absl::StrFormat("%s{%s}", selector.name, Join(matchers, ","));
}

std::string_view PrintEdges(RangeEdges edges) {
  switch (edges) {
    case RangeEdges::kPlain:
      return "";
    case RangeEdges::kAnchored:
      return " anchored";
    case RangeEdges::kSmoothed:
      return " smoothed";
  }
  return "";
}

std::string PrintAt(const TimeModifiers& modifiers) {
  switch (modifiers.at) {
    case AtModifier::kNone:
      return "";
    case AtModifier::kStart:
      return " @ start()";
    case AtModifier::kEnd:
      return " @ end()";
    case AtModifier::kTimestamp:
      return absl::StrFormat(" @ %.3f", static_cast<double>(modifiers.at_ms) / 1000);
  }
  return "";
}

std::string PrintTimeModifiers(const TimeModifiers& modifiers) {
  std::string out = PrintAt(modifiers);
  if (modifiers.offset_expr != nullptr) {
    out += " offset " + PrintDuration(*modifiers.offset_expr);
  } else if (modifiers.offset_ms != 0) {
    out += " offset " + PrintDurationMs(modifiers.offset_ms);
  }
  return out;
}

std::string PrintKnownOrExpr(int64_t ms, const DurationExpr* expr) {
  return expr != nullptr ? PrintDuration(*expr) : PrintDurationMs(ms);
}

std::string PrintMatching(const VectorMatching& matching) {
  std::string out;
  const bool grouped = matching.cardinality == MatchCardinality::kManyToOne ||
                       matching.cardinality == MatchCardinality::kOneToMany;
  if (matching.on || !matching.labels.empty() || grouped) {
    out +=
        absl::StrFormat(" %s (%s)", matching.on ? "on" : "ignoring", PrintLabels(matching.labels));
  }
  if (grouped) {
    const bool left = matching.cardinality == MatchCardinality::kManyToOne;
    out += absl::StrFormat(" %s (%s)", left ? "group_left" : "group_right",
                           PrintLabels(matching.include));
  }
  if (matching.fill_left && matching.fill_left == matching.fill_right) {
    return out + absl::StrFormat(" fill (%s)", FormatPlainValue(*matching.fill_left));
  }
  if (matching.fill_left) {
    out += absl::StrFormat(" fill_left (%s)", FormatPlainValue(*matching.fill_left));
  }
  if (matching.fill_right) {
    out += absl::StrFormat(" fill_right (%s)", FormatPlainValue(*matching.fill_right));
  }
  return out;
}

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

std::string PrintLiteral(const NumberLiteral& literal) {
  return literal.is_duration ? PrintDurationMs(std::llround(literal.value * 1000))
                             : FormatPlainValue(literal.value);
}

std::string PrintMatrixSelector(const MatrixSelector& matrix) {
  const VectorSelector& selector = *matrix.selector;
  if (HasImpliedWindow(matrix)) return PrintVectorSelector(selector);
  return absl::StrFormat("%s[%s]%s%s", PrintSelectorBody(selector),
                         PrintKnownOrExpr(matrix.range_ms, matrix.range_expr.get()),
                         PrintEdges(selector.edges), PrintTimeModifiers(selector.modifiers));
}

std::string PrintVectorSelector(const VectorSelector& selector) {
  return absl::StrFormat("%s%s%s", PrintSelectorBody(selector), PrintEdges(selector.edges),
                         PrintTimeModifiers(selector.modifiers));
}

std::string PrintAggregateHead(const AggregateExpr& aggregate) {
  std::string out(AggregatorName(aggregate.op));
  if (aggregate.without) {
    out += absl::StrFormat(" without (%s) ", PrintLabels(aggregate.grouping));
  } else if (!aggregate.grouping.empty()) {
    out += absl::StrFormat(" by (%s) ", PrintLabels(aggregate.grouping));
  }
  return out;
}

std::string PrintOperator(const BinaryExpr& binary) {
  std::string out(OperatorName(binary.op));
  if (binary.return_bool) out += " bool";
  if (binary.matching) out += PrintMatching(*binary.matching);
  return out;
}

std::string PrintSubqueryTimes(const SubqueryExpr& subquery) {
  const bool has_step = subquery.step_expr != nullptr || subquery.step_ms != 0;
  return absl::StrFormat(
      "[%s:%s]%s", PrintKnownOrExpr(subquery.range_ms, subquery.range_expr.get()),
      has_step ? PrintKnownOrExpr(subquery.step_ms, subquery.step_expr.get()) : "",
      PrintTimeModifiers(subquery.modifiers));
}

std::string PrintDurationMs(int64_t duration_ms) {
  return duration_ms < 0 ? "-" + FormatDurationMs(-duration_ms) : FormatDurationMs(duration_ms);
}

std::string PrintDuration(const DurationExpr& duration) {
  const std::string bare = PrintBare(duration);
  return duration.parenthesized ? "(" + bare + ")" : bare;
}

}  // namespace lockstep::promql
