// Modifiers of binary operators: `bool`, `on (a)`, `ignoring (a)`, `group_left (b)`, `fill (0)`.
#include <utility>

#include "query/promql/parser/expression_parser.h"

namespace lockstep::promql {

absl::Status ExpressionParser::ParseBinaryModifiers(BinaryExpr& binary) {
  binary.return_bool = Accept(TokenKind::kBool);
  VectorMatching& matching = binary.matching.emplace();
  if (NextIs(TokenKind::kOn) || NextIs(TokenKind::kIgnoring)) {
    matching.on = Take().kind == TokenKind::kOn;
    LOCKSTEP_ASSIGN_OR_RETURN(matching.labels, ParseGroupingLabels());
    LOCKSTEP_RETURN_IF_ERROR(ParseGroupModifier(matching));
  }
  return ParseFillModifiers(matching);
}

absl::Status ExpressionParser::ParseGroupModifier(VectorMatching& matching) {
  if (!NextIs(TokenKind::kGroupLeft) && !NextIs(TokenKind::kGroupRight)) return absl::OkStatus();
  matching.cardinality = Take().kind == TokenKind::kGroupLeft ? MatchCardinality::kManyToOne
                                                              : MatchCardinality::kOneToMany;
  if (!NextIs(TokenKind::kLeftParen) && StartsExpression(Peek().kind)) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(matching.include, ParseGroupingLabels());
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseFillModifiers(VectorMatching& matching) {
  if (Accept(TokenKind::kFill)) {
    LOCKSTEP_ASSIGN_OR_RETURN(matching.fill_left, ParseFillValue());
    matching.fill_right = matching.fill_left;
    return absl::OkStatus();
  }
  while (true) {
    if (!matching.fill_left && Accept(TokenKind::kFillLeft)) {
      LOCKSTEP_ASSIGN_OR_RETURN(matching.fill_left, ParseFillValue());
    } else if (!matching.fill_right && Accept(TokenKind::kFillRight)) {
      LOCKSTEP_ASSIGN_OR_RETURN(matching.fill_right, ParseFillValue());
    } else {
      return absl::OkStatus();
    }
  }
}

absl::StatusOr<double> ExpressionParser::ParseFillValue() {
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kLeftParen).status());
  LOCKSTEP_ASSIGN_OR_RETURN(const double value, TakeSignedNumber());
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  return value;
}

}  // namespace lockstep::promql
