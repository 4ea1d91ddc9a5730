// Vector selectors: name, name{...}, {...}.
#include <optional>
#include <utility>

#include "model/labels.h"
#include "query/promql/parser/expression_parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

constexpr std::string_view kMatching = "label matching";

std::optional<MatchType> MatchOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kAssign:
      return MatchType::kEqual;
    case TokenKind::kNotEqual:
      return MatchType::kNotEqual;
    case TokenKind::kRegexMatch:
      return MatchType::kRegex;
    case TokenKind::kRegexNotMatch:
      return MatchType::kNotRegex;
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<VectorSelector>> ExpressionParser::ParseWholeSelector() {
  std::unique_ptr<VectorSelector> selector;
  if (NextIs(TokenKind::kLeftBrace)) {
    LOCKSTEP_ASSIGN_OR_RETURN(selector, ParseSelector(nullptr));
  } else {
    if (!IsMetricName(Peek().kind)) return Unexpected();
    const Token name = Take();
    LOCKSTEP_ASSIGN_OR_RETURN(selector, ParseSelector(&name));
  }
  if (!NextIs(TokenKind::kEof)) return Unexpected();
  return selector;
}

absl::StatusOr<std::unique_ptr<VectorSelector>> ExpressionParser::ParseSelector(const Token* name) {
  auto selector = std::make_unique<VectorSelector>();
  selector->position = name != nullptr ? name->range() : Peek().range();
  if (NextIs(TokenKind::kLeftBrace)) {
    LOCKSTEP_RETURN_IF_ERROR(ParseMatchers(*selector));
    selector->position.end = last_end_;
  }
  if (name != nullptr) {
    selector->name = std::string(name->text);
    selector->matchers.push_back(Matcher::Equal(std::string(kMetricName), selector->name));
  }
  return selector;
}

absl::Status ExpressionParser::ParseMatchers(VectorSelector& selector) {
  Take();
  while (!Accept(TokenKind::kRightBrace)) {
    LOCKSTEP_RETURN_IF_ERROR(ParseMatcher(selector));
    if (NextIs(TokenKind::kRightBrace)) continue;
    if (!Accept(TokenKind::kComma)) return Unexpected(kMatching, "\",\" or \"}\"");
  }
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseMatcher(VectorSelector& selector) {
  const bool quoted = NextIs(TokenKind::kString);
  if (!quoted && !NextIs(TokenKind::kIdentifier)) {
    return Unexpected(kMatching, "identifier or \"}\"");
  }
  const Token label = Take();
  std::string label_name = quoted ? Unquote(label.text) : std::string(label.text);
  const std::optional<MatchType> type = MatchOperator(Peek().kind);
  if (!type) {
    // A quoted string alone is the metric's name.
    if (quoted) {
      selector.matchers.push_back(Matcher::Equal(std::string(kMetricName), std::move(label_name)));
      return absl::OkStatus();
    }
    if (const Template* used = FindTemplate(scope_, label.text, false)) {
      return AppendTemplateMatchers(*used, label, selector);
    }
    return Unexpected(kMatching, "label matching operator");
  }
  Take();
  if (!NextIs(TokenKind::kString)) return Unexpected(kMatching, "string");
  if (budget_ != nullptr) LOCKSTEP_RETURN_IF_ERROR(budget_->Check());
  absl::StatusOr<Matcher> matcher =
      Matcher::Make(*type, std::move(label_name), Unquote(Take().text), Regex::kMaxBytesOfRequest);
  if (absl::IsInvalidArgument(matcher.status()))
    return ErrorAt(label.position, Message(matcher.status()));
  LOCKSTEP_RETURN_IF_ERROR(matcher.status());
  selector.matchers.push_back(*std::move(matcher));
  return absl::OkStatus();
}

}  // namespace lockstep::promql
