// Aggregations: sum by (a) (x), topk without (a) (3, x), count(x) by (a).
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "model/labels.h"
#include "query/promql/parser/expression_parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

struct AggregatorInfo {
  AggregateOp op;
  bool has_param;
};

// Precondition: IsAggregator(kind).
AggregatorInfo Aggregator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kAvg:
      return {AggregateOp::kAvg, false};
    case TokenKind::kCount:
      return {AggregateOp::kCount, false};
    case TokenKind::kMin:
      return {AggregateOp::kMin, false};
    case TokenKind::kMax:
      return {AggregateOp::kMax, false};
    case TokenKind::kGroup:
      return {AggregateOp::kGroup, false};
    case TokenKind::kStddev:
      return {AggregateOp::kStddev, false};
    case TokenKind::kStdvar:
      return {AggregateOp::kStdvar, false};
    case TokenKind::kTopk:
      return {AggregateOp::kTopk, true};
    case TokenKind::kBottomk:
      return {AggregateOp::kBottomk, true};
    case TokenKind::kCountValues:
      return {AggregateOp::kCountValues, true};
    case TokenKind::kQuantile:
      return {AggregateOp::kQuantile, true};
    case TokenKind::kLimitk:
      return {AggregateOp::kLimitk, true};
    case TokenKind::kLimitRatio:
      return {AggregateOp::kLimitRatio, true};
    default:
      return {AggregateOp::kSum, false};
  }
}

}  // namespace

absl::StatusOr<ExprPtr> ExpressionParser::ParseAggregate(const Token& op) {
  auto aggregate = std::make_unique<AggregateExpr>();
  Arguments arguments;
  {
    const ContextScope context(*this, {"aggregation", ""});
    const bool modifier_first = !NextIs(TokenKind::kLeftParen);
    if (modifier_first) LOCKSTEP_RETURN_IF_ERROR(ParseGrouping(*aggregate));
    LOCKSTEP_ASSIGN_OR_RETURN(arguments, ParseArguments());
    // Finding the end of the aggregation takes the next token, whose error comes first.
    if (!modifier_first && NextIs(TokenKind::kError)) return Unexpected();
    if (!modifier_first && (NextIs(TokenKind::kBy) || NextIs(TokenKind::kWithout))) {
      LOCKSTEP_RETURN_IF_ERROR(ParseGrouping(*aggregate));
      arguments.end = last_end_;
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(TakeArguments(op, std::move(arguments), *aggregate));
  return aggregate;
}

absl::Status ExpressionParser::ParseGrouping(AggregateExpr& aggregate) {
  aggregate.without = Take().kind == TokenKind::kWithout;
  LOCKSTEP_ASSIGN_OR_RETURN(aggregate.grouping, ParseGroupingLabels());
  return absl::OkStatus();
}

absl::Status ExpressionParser::TakeArguments(const Token& op, Arguments arguments,
                                             AggregateExpr& aggregate) {
  const AggregatorInfo info = Aggregator(op.kind);
  std::vector<ExprPtr>& exprs = arguments.exprs;
  aggregate.op = info.op;
  aggregate.position = {op.position, arguments.end};
  if (exprs.empty()) {
    return ErrorAt(op.position, "no arguments for aggregate expression provided");
  }
  const size_t wanted = info.has_param ? 2 : 1;
  if (exprs.size() != wanted) {
    return ErrorAt(op.position,
                   absl::StrFormat("wrong number of arguments for aggregate expression provided, "
                                   "expected %d, got %d",
                                   wanted, exprs.size()));
  }
  for (const ExprPtr& expr : exprs) aggregate.depth = std::max(aggregate.depth, 1 + expr->depth);
  if (info.has_param) aggregate.param = std::move(exprs.front());
  aggregate.operand = std::move(exprs.back());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ExpressionParser::ParseGroupingLabels() {
  if (!NextIs(TokenKind::kLeftParen)) return Unexpected("grouping opts", "\"(\"");
  Take();
  std::vector<std::string> labels;
  while (!Accept(TokenKind::kRightParen)) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::string label, ParseGroupingLabel());
    labels.push_back(std::move(label));
    if (NextIs(TokenKind::kRightParen)) continue;
    if (!Accept(TokenKind::kComma)) return Unexpected("grouping opts", "\",\" or \")\"");
  }
  return labels;
}

absl::StatusOr<std::string> ExpressionParser::ParseGroupingLabel() {
  const bool quoted = NextIs(TokenKind::kString);
  if (!quoted && !IsGroupingLabel(Peek().kind)) return Unexpected("grouping opts", "label");
  const Token token = Take();
  std::string label = quoted ? Unquote(token.text) : std::string(token.text);
  if (label.empty() || !IsValidUtf8(label)) {
    return ErrorAt(token.position, "invalid label name for grouping: " + Quote(label));
  }
  return label;
}

}  // namespace lockstep::promql
