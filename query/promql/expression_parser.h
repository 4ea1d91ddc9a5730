// ExpressionParser: recursive descent over the grammar of PromQL.
//
// Binary operators climb by precedence; modifiers (`[5m]`, `offset`, `@`, `anchored`) bind tighter
// than any operator. Prometheus' parser is generated, and reports a token that fits nowhere in the
// words of the innermost rule that has something to say on errors; ErrorContext keeps track of that
// rule. Types are checked afterwards (type_check.h), because syntax errors come first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "query/promql/ast.h"
#include "query/promql/lexer.h"
#include "query/promql/parser.h"
#include "query/promql/templates.h"

namespace lockstep::promql {

// One parser reads one text, once. `query` must outlive it, and `budget`, which may be null. Not
// thread-safe.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view query, const QueryBudget* budget, Dialect dialect)
      : query_(query), budget_(budget), dialect_(dialect), lexer_(query) {}

  // The whole text as an expression; types are not checked yet.
  absl::StatusOr<ExprPtr> ParseWhole();
  // The whole text as a selector without modifiers.
  absl::StatusOr<std::unique_ptr<VectorSelector>> ParseWholeSelector();

  // Whether there was a WITH, or a call of a function that PromQL has not.
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

  // Reads a part of the text of `outer`, where names mean what `scope` says.
  ExpressionParser(const ExpressionParser& outer, TextRange body, const Template* scope);

  // expression_parser.cc: operators, literals, calls, parentheses.
  absl::StatusOr<ExprPtr> ParseLowest();
  absl::StatusOr<ExprPtr> ParseBinary(int min_precedence);
  absl::StatusOr<ExprPtr> ParseOperand();
  absl::StatusOr<ExprPtr> ParseUnary();
  absl::StatusOr<ExprPtr> ParsePrimary();
  absl::StatusOr<ExprPtr> ParseNamed();
  absl::StatusOr<ExprPtr> ParseParen();
  // The rest of a list of queries in parentheses, behind the first.
  absl::StatusOr<ExprPtr> ParseUnion(ExprPtr first, int start);
  absl::StatusOr<ExprPtr> ParseNumberLiteral();
  absl::StatusOr<ExprPtr> ParseStringLiteral();
  absl::StatusOr<ExprPtr> ParseCall(const Token& name);
  // Null when the dialect has no function of that name.
  const FunctionSignature* FindKnownFunction(std::string_view name);
  struct Arguments {
    std::vector<ExprPtr> exprs;
    int end = 0;  // behind the closing parenthesis
  };
  absl::StatusOr<Arguments> ParseArguments();

  // template_parser.cc. `name` is the token before the next one.
  bool IsWith(const Token& name);
  absl::StatusOr<ExprPtr> ParseWith(const Token& with);
  absl::Status ParseTemplate();
  absl::StatusOr<std::vector<std::string_view>> ParseTemplateParameters();
  absl::Status Define(Template added, int position);
  // Up to the comma or the parenthesis that ends it, which is not taken. What is skipped is parsed
  // where it is used.
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

  // matching_parser.cc: what may stand between a binary operator and its right side.
  absl::Status ParseBinaryModifiers(BinaryExpr& binary);
  absl::Status ParseGroupModifier(VectorMatching& matching);
  absl::Status ParseFillModifiers(VectorMatching& matching);
  absl::StatusOr<double> ParseFillValue();

  // selector_parser.cc
  absl::StatusOr<std::unique_ptr<VectorSelector>> ParseSelector(const Token* name);
  absl::Status ParseMatchers(VectorSelector& selector);
  absl::Status ParseMatcher(VectorSelector& selector);

  // modifier_parser.cc: what may stand behind an operand.
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
  absl::StatusOr<DurationPtr> ParseDurationLiteral();
  absl::StatusOr<DurationPtr> ParseDurationFunction();
  absl::Status DurationError(int position, std::string_view message);
  absl::StatusOr<DurationPtr> ApplySign(const Token& sign, DurationPtr operand);

  // The number or duration that the next token is, in seconds.
  absl::StatusOr<double> TakeNumber();
  // Like it, with a sign before it or not.
  absl::StatusOr<double> TakeSignedNumber();

  // The token to be read next. A token is not looked at before it is needed: what the lexer has to
  // complain of comes after what the grammar has to say on all before it.
  const Token& Peek();
  Token Take();
  bool NextIs(TokenKind kind) { return Peek().kind == kind; }
  bool NextIsSign() { return NextIs(TokenKind::kAdd) || NextIs(TokenKind::kSub); }
  // Takes the next token if it is of that kind.
  bool Accept(TokenKind kind);
  // Takes the next token, which has to be of that kind.
  absl::StatusOr<Token> Expect(TokenKind kind);

  absl::Status ErrorAt(int position, std::string_view message) const;
  // The next token fits nowhere.
  absl::Status Unexpected();
  absl::Status Unexpected(std::string_view place, std::string_view expected);
  absl::Status CheckDepth(int depth, int position) const;

  const std::string_view query_;
  const QueryBudget* const budget_;
  const Dialect dialect_;
  Lexer lexer_;
  Token next_;
  bool has_next_ = false;
  int last_end_ = 0;  // behind the token taken last
  ErrorContext context_;
  int depth_ = 0;                         // of the recursion
  int duration_operators_ = 0;            // in the duration expression in work
  std::shared_ptr<Templates> templates_;  // null before the first WITH
  const Template* scope_ = nullptr;       // what names mean here
  bool names_metricsql_ = false;
  bool has_list_ = false;
};

// Sets what an unexpected token is said to be in, until it ends.
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
