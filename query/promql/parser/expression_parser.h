// ExpressionParser: recursive descent over the grammar of PromQL.
//
// Binary operators climb by precedence; modifiers (`[5m]`, `offset`, `@`, `anchored`) bind tighter
// than any operator. Prometheus' parser is generated, and describes an unexpected token with the
// text of the innermost rule that handles errors; ErrorContext tracks that rule. Types are checked
// afterwards (type_check.h), because syntax errors come first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "query/promql/parser/lexer.h"
#include "query/promql/parser/parser.h"
#include "query/promql/parser/templates.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// Each parser parses one text, once. `query` and `budget` (may be null) must outlive it. Not
// thread-safe.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view query, const QueryBudget* budget, Dialect dialect)
      : query_(query), budget_(budget), dialect_(dialect), lexer_(query) {}

  // Parses the whole text as an expression, without checking types.
  absl::StatusOr<ExprPtr> ParseWhole();
  // Parses the whole text as a selector without modifiers.
  absl::StatusOr<std::unique_ptr<VectorSelector>> ParseWholeSelector();

  // Whether there was a WITH, or a call of a function that PromQL does not have.
  bool names_metricsql() const { return names_metricsql_; }
  // Whether there was a list of queries in parentheses.
  bool has_list() const { return has_list_; }

 private:
  // "unexpected X in `place`, expected `expected`"; either may be empty.
  struct ErrorContext {
    std::string_view place;
    std::string_view expected;
  };
  class ContextScope;
  class DepthScope;
  class TemplateScope;

  // Parses a part of the text of `outer`, in which `scope` defines names.
  ExpressionParser(const ExpressionParser& outer, TextRange body, const Template* scope);

  // expression_parser.cc: operators, literals, calls, parentheses.
  absl::StatusOr<ExprPtr> ParseLowest();
  absl::StatusOr<ExprPtr> ParseBinary(int min_precedence);
  absl::StatusOr<ExprPtr> ParseOperand();
  absl::StatusOr<ExprPtr> ParseUnary();
  absl::StatusOr<ExprPtr> ParsePrimary();
  absl::StatusOr<ExprPtr> ParseNamed();
  absl::StatusOr<ExprPtr> ParseParen();
  // Parses the rest of a list of queries in parentheses, after the first.
  absl::StatusOr<ExprPtr> ParseUnion(ExprPtr first, int start);
  absl::StatusOr<ExprPtr> ParseNumberLiteral();
  absl::StatusOr<ExprPtr> ParseStringLiteral();
  absl::StatusOr<ExprPtr> ParseCall(const Token& name);
  // Null if the dialect has no function of that name.
  const FunctionSignature* FindKnownFunction(std::string_view name);
  struct Arguments {
    std::vector<ExprPtr> exprs;
    int end = 0;  // after the closing parenthesis
  };
  absl::StatusOr<Arguments> ParseArguments();

  // template_parser.cc. `name` is the token before the next one.
  bool IsWith(const Token& name);
  absl::StatusOr<ExprPtr> ParseWith(const Token& with);
  absl::Status ParseTemplate();
  absl::StatusOr<std::vector<std::string_view>> ParseTemplateParameters();
  absl::Status Define(Template added, int position);
  // Skips up to the comma or parenthesis that ends the expression, without taking it. The skipped
  // text is parsed where it is used.
  absl::StatusOr<TextRange> SkipExpression();
  absl::StatusOr<std::vector<TextRange>> SkipArguments();
  absl::StatusOr<ExprPtr> ParseTemplateName(const Template& used, const Token& name);
  absl::StatusOr<ExprPtr> ParseTemplateCall(const Template& used, const Token& name);
  absl::StatusOr<ExprPtr> Expand(const Template& used, const Template* scope, const Token& name);
  absl::Status AppendTemplateMatchers(const Template& used, const Token& name,
                                      VectorSelector& selector);

  // aggregate_parser.cc
  absl::StatusOr<ExprPtr> ParseAggregate(const Token& op);
  absl::Status ParseGrouping(AggregateExpr& aggregate);
  absl::Status TakeArguments(const Token& op, Arguments arguments, AggregateExpr& aggregate);
  absl::StatusOr<std::vector<std::string>> ParseGroupingLabels();
  absl::StatusOr<std::string> ParseGroupingLabel();

  // matching_parser.cc: modifiers between a binary operator and its right side.
  absl::Status ParseBinaryModifiers(BinaryExpr& binary);
  absl::Status ParseGroupModifier(VectorMatching& matching);
  absl::Status ParseFillModifiers(VectorMatching& matching);
  absl::StatusOr<double> ParseFillValue();

  // selector_parser.cc
  absl::StatusOr<std::unique_ptr<VectorSelector>> ParseSelector(const Token* name);
  absl::Status ParseMatchers(VectorSelector& selector);
  absl::Status ParseMatcher(VectorSelector& selector);

  // modifier_parser.cc: modifiers after an operand.
  absl::StatusOr<ExprPtr> ParseModifiers(ExprPtr operand);
  absl::StatusOr<ExprPtr> ParseBracket(ExprPtr operand);
  absl::StatusOr<ExprPtr> FinishRange(ExprPtr operand, const Token& bracket,
                                      std::unique_ptr<DurationExpr> range);
  absl::StatusOr<ExprPtr> FinishSubquery(ExprPtr operand, std::unique_ptr<DurationExpr> range);
  absl::Status ParseOffset(Expr& operand);
  absl::Status ParseAt(Expr& operand);
  absl::Status ParseAtValue(TimeModifiers& modifiers, const Expr& operand);
  absl::Status ParseEdges(Expr& operand);

  // duration_parser.cc
  using DurationPtr = std::unique_ptr<DurationExpr>;
  absl::StatusOr<DurationPtr> ParsePositiveDuration();
  absl::StatusOr<DurationPtr> ParseOffsetDuration();
  absl::StatusOr<DurationPtr> ParseDurationBinary(int min_precedence);
  absl::StatusOr<DurationPtr> ContinueDuration(DurationPtr lhs, int min_precedence);
  absl::StatusOr<DurationPtr> ParseDurationOperand();
  absl::StatusOr<DurationPtr> ParseDurationUnary();
  absl::StatusOr<DurationPtr> ParseDurationParen();
  absl::StatusOr<DurationPtr> ParseDurationLiteral(int error_position);
  absl::StatusOr<DurationPtr> ParseDurationFunction();
  absl::Status DurationError(int position, std::string_view message);
  absl::StatusOr<DurationPtr> ApplySign(const Token& sign, DurationPtr operand);

  // Takes the next token, a number or duration, in seconds.
  absl::StatusOr<double> TakeNumber();
  // The same with an optional sign.
  absl::StatusOr<double> TakeSignedNumber();

  // The next token. Tokens are read only when needed, so that lexer errors come after grammar
  // errors for the text before them.
  const Token& Peek();
  Token Take();
  bool NextIs(TokenKind kind) { return Peek().kind == kind; }
  bool NextIsSign() { return NextIs(TokenKind::kAdd) || NextIs(TokenKind::kSub); }
  // Takes the next token if it has that kind.
  bool Accept(TokenKind kind);
  // Takes the next token, which must have that kind.
  absl::StatusOr<Token> Expect(TokenKind kind);

  absl::Status ErrorAt(int position, std::string_view message) const;
  // The error for an unexpected next token.
  absl::Status Unexpected();
  absl::Status Unexpected(std::string_view place, std::string_view expected);
  absl::Status CheckDepth(int depth, int position) const;

  const std::string_view query_;
  const QueryBudget* const budget_;
  const Dialect dialect_;
  Lexer lexer_;
  Token next_;
  bool has_next_ = false;
  int last_end_ = 0;  // end of the last taken token
  ErrorContext context_;
  int depth_ = 0;                         // of the recursion
  int duration_operators_ = 0;            // in the current duration expression
  std::shared_ptr<Templates> templates_;  // null before the first WITH
  const Template* scope_ = nullptr;       // the names defined here
  bool names_metricsql_ = false;
  bool has_list_ = false;
};

// Sets the context of errors for unexpected tokens during its lifetime.
class ExpressionParser::ContextScope {
 public:
  ContextScope(ExpressionParser& parser, ErrorContext context)
      : parser_(parser), outer_(parser.context_) {
    parser_.context_ = context;
  }
  ~ContextScope() { parser_.context_ = outer_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  ExpressionParser& parser_;
  const ErrorContext outer_;
};

// One level of recursion.
class ExpressionParser::DepthScope {
 public:
  explicit DepthScope(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
  ~DepthScope() { --parser_.depth_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;

 private:
  ExpressionParser& parser_;
};

}  // namespace lockstep::promql
