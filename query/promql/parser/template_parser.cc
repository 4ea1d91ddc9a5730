// `WITH (...) expr`, and uses of template names.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "query/promql/parser/expression_parser.h"
#include "query/promql/parser/templates.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

constexpr std::string_view kWith = "with";

// Whether text before or after it could bind tighter than its own operators.
bool NeedsParens(const Expr& expr) {
  if (expr.kind == ExprKind::kNumber) return As<NumberLiteral>(expr).value < 0;
  return expr.kind == ExprKind::kBinary || expr.kind == ExprKind::kUnary;
}

// `expr` as an operand at `position`.
ExprPtr AsOperand(ExprPtr expr, PositionRange position) {
  if (NeedsParens(*expr)) {
    auto paren = std::make_unique<ParenExpr>();
    paren->depth = 1 + expr->depth;
    paren->inner = std::move(expr);
    expr = std::move(paren);
  }
  expr->position = position;
  return expr;
}

bool HasModifiers(const VectorSelector& selector) {
  const TimeModifiers& modifiers = selector.modifiers;
  return modifiers.offset_ms != 0 || modifiers.offset_expr != nullptr ||
         modifiers.at != AtModifier::kNone || selector.edges != RangeEdges::kPlain;
}

int NestingChange(TokenKind kind) {
  switch (kind) {
    case TokenKind::kLeftParen:
    case TokenKind::kLeftBrace:
    case TokenKind::kLeftBracket:
      return 1;
    case TokenKind::kRightParen:
    case TokenKind::kRightBrace:
    case TokenKind::kRightBracket:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

const Template* FindTemplate(const Template* scope, std::string_view name, bool has_parameters) {
  while (scope != nullptr && (scope->name != name || scope->has_parameters != has_parameters)) {
    scope = scope->next;
  }
  return scope;
}

size_t CountTemplates(const Template* scope) {
  size_t count = 0;
  for (; scope != nullptr; scope = scope->next) ++count;
  return count;
}

// Sets the meaning of names during its lifetime.
class ExpressionParser::TemplateScope {
 public:
  explicit TemplateScope(ExpressionParser& parser) : parser_(parser), outer_(parser.scope_) {}
  ~TemplateScope() { parser_.scope_ = outer_; }
  TemplateScope(const TemplateScope&) = delete;
  TemplateScope& operator=(const TemplateScope&) = delete;

 private:
  ExpressionParser& parser_;
  const Template* const outer_;
};

ExpressionParser::ExpressionParser(const ExpressionParser& outer, TextRange body,
                                   const Template* scope)
    : query_(outer.query_),
      budget_(outer.budget_),
      dialect_(outer.dialect_),
      lexer_(query_.substr(0, body.end), body.begin),
      depth_(outer.depth_),
      templates_(outer.templates_),
      scope_(scope) {}

bool ExpressionParser::IsWith(const Token& name) {
  return dialect_ == Dialect::kMetricsql && name.kind == TokenKind::kIdentifier &&
         std::ranges::equal(name.text, kWith, {}, absl::ascii_tolower) &&
         NextIs(TokenKind::kLeftParen);
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseWith(const Token& with) {
  names_metricsql_ = true;
  if (templates_ == nullptr) templates_ = std::make_shared<Templates>();
  const TemplateScope names(*this);
  Take();
  while (!Accept(TokenKind::kRightParen)) {
    LOCKSTEP_RETURN_IF_ERROR(ParseTemplate());
    if (NextIs(TokenKind::kRightParen)) continue;
    if (!Accept(TokenKind::kComma)) return Unexpected("WITH", "\",\" or \")\"");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ParseLowest());
  return AsOperand(std::move(expr), {with.position, last_end_});
}

absl::Status ExpressionParser::ParseTemplate() {
  if (!IsMetricName(Peek().kind)) return Unexpected("WITH", "name");
  const Token name = Take();
  Template added;
  added.name = name.text;
  if (NextIs(TokenKind::kLeftParen)) {
    // Other tokens that may begin a call have their own meaning.
    if (name.kind != TokenKind::kIdentifier) {
      return ErrorAt(name.position,
                     "a template with parameters must not be called " + std::string(name.text));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(added.parameters, ParseTemplateParameters());
    added.has_parameters = true;
  }
  if (!Accept(TokenKind::kAssign)) return Unexpected("WITH", "\"=\"");
  LOCKSTEP_ASSIGN_OR_RETURN(added.body, SkipExpression());
  added.body_scope = scope_;
  return Define(std::move(added), name.position);
}

absl::StatusOr<std::vector<std::string_view>> ExpressionParser::ParseTemplateParameters() {
  Take();
  std::vector<std::string_view> parameters;
  while (!Accept(TokenKind::kRightParen)) {
    if (!IsMetricName(Peek().kind)) return Unexpected("WITH", "name");
    parameters.push_back(Take().text);
    if (NextIs(TokenKind::kRightParen)) continue;
    if (!Accept(TokenKind::kComma)) return Unexpected("WITH", "\",\" or \")\"");
  }
  return parameters;
}

absl::Status ExpressionParser::Define(Template added, int position) {
  if (CountTemplates(scope_) + added.parameters.size() >= Templates::kMaxInScope) {
    return ErrorAt(position, absl::StrFormat("more than %d template names are in scope",
                                             Templates::kMaxInScope));
  }
  added.next = scope_;
  scope_ = templates_->Add(std::move(added));
  return absl::OkStatus();
}

absl::StatusOr<TextRange> ExpressionParser::SkipExpression() {
  const auto begin = static_cast<size_t>(Peek().position);
  size_t end = begin;
  int nesting = 0;
  while (true) {
    const TokenKind kind = Peek().kind;
    if (kind == TokenKind::kEof || kind == TokenKind::kError) return Unexpected();
    if (nesting == 0 && (kind == TokenKind::kComma || kind == TokenKind::kRightParen)) break;
    nesting += NestingChange(kind);
    Take();
    end = static_cast<size_t>(last_end_);
  }
  if (begin == end) return Unexpected("WITH", "expression");
  return TextRange{begin, end};
}

// A variable, alone or with more matchers in braces.
absl::StatusOr<ExprPtr> ExpressionParser::ParseTemplateName(const Template& used,
                                                            const Token& name) {
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, Expand(used, used.body_scope, name));
  if (!NextIs(TokenKind::kLeftBrace)) return AsOperand(std::move(expr), name.range());
  if (expr->kind != ExprKind::kVectorSelector) {
    return ErrorAt(name.position,
                   absl::StrFormat("template %s is not a selector: it takes no matchers in braces",
                                   Quote(name.text)));
  }
  auto& selector = static_cast<VectorSelector&>(*expr);
  // The matcher of the name is the last one.
  std::optional<Matcher> name_matcher;
  if (!selector.name.empty()) {
    name_matcher = std::move(selector.matchers.back());
    selector.matchers.pop_back();
  }
  LOCKSTEP_RETURN_IF_ERROR(ParseMatchers(selector));
  if (name_matcher) selector.matchers.push_back(*std::move(name_matcher));
  return AsOperand(std::move(expr), {name.position, last_end_});
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseTemplateCall(const Template& used,
                                                            const Token& name) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<TextRange> arguments, SkipArguments());
  if (arguments.size() != used.parameters.size()) {
    return ErrorAt(name.position,
                   absl::StrFormat("template %s takes %d argument(s), got %d", Quote(name.text),
                                   used.parameters.size(), arguments.size()));
  }
  const Template* body_scope = used.body_scope;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Template argument;
    argument.name = used.parameters[i];
    argument.body = arguments[i];
    argument.body_scope = scope_;
    argument.next = body_scope;
    body_scope = templates_->Add(std::move(argument));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, Expand(used, body_scope, name));
  return AsOperand(std::move(expr), {name.position, last_end_});
}

absl::StatusOr<std::vector<TextRange>> ExpressionParser::SkipArguments() {
  Take();
  std::vector<TextRange> arguments;
  while (!Accept(TokenKind::kRightParen)) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TextRange argument, SkipExpression());
    arguments.push_back(argument);
    Accept(TokenKind::kComma);
  }
  return arguments;
}

absl::StatusOr<ExprPtr> ExpressionParser::Expand(const Template& used, const Template* scope,
                                                 const Token& name) {
  if (budget_ != nullptr) LOCKSTEP_RETURN_IF_ERROR(budget_->Check());
  if (!templates_->Charge(used.body.size())) {
    return ErrorAt(name.position, absl::StrFormat("templates expand to more than %d bytes",
                                                  Templates::kMaxExpandedBytes));
  }
  ExpressionParser body(*this, used.body, scope);
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, body.ParseLowest());
  if (!body.NextIs(TokenKind::kEof)) return body.Unexpected();
  return expr;
}

absl::Status ExpressionParser::AppendTemplateMatchers(const Template& used, const Token& name,
                                                      VectorSelector& selector) {
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, Expand(used, used.body_scope, name));
  const bool is_plain = expr->kind == ExprKind::kVectorSelector &&
                        As<VectorSelector>(*expr).name.empty() &&
                        !HasModifiers(As<VectorSelector>(*expr));
  if (!is_plain) {
    return ErrorAt(name.position, absl::StrFormat("template %s is not a list of matchers in braces",
                                                  Quote(name.text)));
  }
  std::ranges::move(static_cast<VectorSelector&>(*expr).matchers,
                    std::back_inserter(selector.matchers));
  return absl::OkStatus();
}

}  // namespace lockstep::promql
