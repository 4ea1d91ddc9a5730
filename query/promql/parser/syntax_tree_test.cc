// What the parser puts into the tree: positions, modifiers, operators, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget/query_budget.h"
#include "query/promql/parser/literal.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ExprPtr Parsed(std::string_view query) {
  absl::StatusOr<ExprPtr> expr = ParseExpr(query);
  EXPECT_TRUE(expr.ok()) << query << ": " << expr.status();
  return expr.ok() ? *std::move(expr) : nullptr;
}

std::string ErrorText(std::string_view query) {
  const absl::StatusOr<ExprPtr> expr = ParseExpr(query);
  return expr.ok() ? "no error" : std::string(Message(expr.status()));
}

void AppendTexts(std::string_view query, const Expr& expr, std::vector<std::string>& texts) {
  const PositionRange at = expr.position;
  texts.emplace_back(
      query.substr(static_cast<size_t>(at.start), static_cast<size_t>(at.end - at.start)));
  switch (expr.kind) {
    case ExprKind::kParen:
      return AppendTexts(query, *As<ParenExpr>(expr).inner, texts);
    case ExprKind::kUnary:
      return AppendTexts(query, *As<UnaryExpr>(expr).operand, texts);
    case ExprKind::kBinary:
      AppendTexts(query, *As<BinaryExpr>(expr).lhs, texts);
      return AppendTexts(query, *As<BinaryExpr>(expr).rhs, texts);
    case ExprKind::kMatrixSelector:
      return AppendTexts(query, *As<MatrixSelector>(expr).selector, texts);
    case ExprKind::kSubquery:
      return AppendTexts(query, *As<SubqueryExpr>(expr).inner, texts);
    case ExprKind::kAggregate:
      if (As<AggregateExpr>(expr).param != nullptr) {
        AppendTexts(query, *As<AggregateExpr>(expr).param, texts);
      }
      return AppendTexts(query, *As<AggregateExpr>(expr).operand, texts);
    case ExprKind::kCall:
      for (const ExprPtr& argument : As<Call>(expr).args) AppendTexts(query, *argument, texts);
      return;
    default:
      return;
  }
}

// The part of the query that each node covers, a node before those below it.
std::vector<std::string> NodeTexts(std::string_view query) {
  std::vector<std::string> texts;
  if (const ExprPtr expr = Parsed(query); expr != nullptr) AppendTexts(query, *expr, texts);
  return texts;
}

TEST(SyntaxTreeTest, OperatorsCoverTheirOperands) {
  EXPECT_THAT(NodeTexts(" 1 +  - 2 "), ElementsAre("1 +  - 2", "1", "- 2"));
  EXPECT_THAT(NodeTexts("-a ^ 2 * + b"),
              ElementsAre("-a ^ 2 * + b", "-a ^ 2", "a ^ 2", "a", "2", "+ b", "b"));
  EXPECT_THAT(NodeTexts("a ^ b ^ c"), ElementsAre("a ^ b ^ c", "a", "b ^ c", "b", "c"));
  EXPECT_THAT(NodeTexts(" ( a ) - ( (b))"),
              ElementsAre("( a ) - ( (b))", "( a )", "a", "( (b))", "(b)", "b"));
}

TEST(SyntaxTreeTest, SelectorsEndWithTheirModifiers) {
  EXPECT_THAT(NodeTexts("a {b = \"c\"} + {d=\"e\"} "),
              ElementsAre("a {b = \"c\"} + {d=\"e\"}", "a {b = \"c\"}", "{d=\"e\"}"));
  EXPECT_THAT(NodeTexts("a offset 5m + b @ 10 "),
              ElementsAre("a offset 5m + b @ 10", "a offset 5m", "b @ 10"));
  EXPECT_THAT(NodeTexts("a @ end() offset -(step())"), ElementsAre("a @ end() offset -(step())"));
  EXPECT_THAT(NodeTexts("a anchored"), ElementsAre("a anchored"));
  EXPECT_THAT(NodeTexts("rate( a [5m] smoothed offset 1m )"),
              ElementsAre("rate( a [5m] smoothed offset 1m )", "a [5m] smoothed offset 1m", "a"));
  EXPECT_THAT(NodeTexts("(a)[5m : 1m ] @ 5"), ElementsAre("(a)[5m : 1m ] @ 5", "(a)", "a"));
}

TEST(SyntaxTreeTest, CallsEndWithTheirParentheses) {
  EXPECT_THAT(NodeTexts("sum by (a) (b ) + count( c ) without (d )"),
              ElementsAre("sum by (a) (b ) + count( c ) without (d )", "sum by (a) (b )", "b",
                          "count( c ) without (d )", "c"));
  EXPECT_THAT(NodeTexts("topk( 5, a)"), ElementsAre("topk( 5, a)", "5", "a"));
  EXPECT_THAT(NodeTexts("round( a , 5 ) "), ElementsAre("round( a , 5 )", "a", "5"));
  EXPECT_THAT(NodeTexts("label_join(a, 'b', \"c\")"),
              ElementsAre("label_join(a, 'b', \"c\")", "a", "'b'", "\"c\""));
  EXPECT_THAT(NodeTexts("time( )"), ElementsAre("time( )"));
}

// What a template stands for is where its name is.
TEST(SyntaxTreeTest, TemplatesCoverTheirUse) {
  EXPECT_THAT(NodeTexts("1 + WITH (x = m) x ")[2], "WITH (x = m) x");
  EXPECT_THAT(NodeTexts("WITH (f(a) = a) -f( m )")[0], "WITH (f(a) = a) -f( m )");
  EXPECT_THAT(NodeTexts("WITH () (a , b)"), ElementsAre("WITH () (a , b)", "a", "b"));
  EXPECT_THAT(NodeTexts("sum(WITH (x = m) x{a = \"b\"} )")[1], "WITH (x = m) x{a = \"b\"}");
  // An omitted window is where its selector is.
  EXPECT_THAT(NodeTexts("rollup( m offset 1m)"),
              ElementsAre("rollup( m offset 1m)", "m offset 1m", "m offset 1m"));
}

TEST(SyntaxTreeTest, DepthCountsLevels) {
  const std::pair<const char*, int> cases[] = {
      {"a", 1},
      {"(a)", 2},
      {"-a", 2},
      {"-5", 1},
      {"a + b", 2},
      {"a + b * c", 3},
      {"a * b + c", 3},
      {"a[5m]", 2},
      {"(a)[5m:1m]", 3},
      {"sum(a)", 2},
      {"topk((5), a)", 3},
      {"topk(5, (a))", 3},
      {"abs(-a)", 3},
      {"round(a, (1))", 3},
      {"time()", 1},
      {"WITH () (a, -b)", 3},
      {"WITH (x = a + b) x", 3},
  };
  for (const auto& [query, depth] : cases) {
    const ExprPtr expr = Parsed(query);
    ASSERT_NE(expr, nullptr);
    EXPECT_EQ(expr->depth, depth) << query;
  }
}

std::string Times(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// 512 levels; each query here has one more than its repetitions.
TEST(SyntaxTreeTest, TheLastLevelFitsAndTheNextDoesNot) {
  const auto query = [](int form, int n) {
    switch (form) {
      case 0:
        return Times("(", n) + "a" + Times(")", n);
      case 1:
        return Times("-", n) + "a";
      case 2:
        return Times("abs(", n) + "a" + Times(")", n);
      case 3:
        return Times("max(", n) + "a" + Times(")", n);
      case 4:
        return "a" + Times(" + a", n);
      case 5:
        return "a" + Times(" ^ a", n);
      default:
        return Times("topk(1, ", n) + "a" + Times(")", n);
    }
  };
  for (int form = 0; form < 7; ++form) {
    EXPECT_EQ(ErrorText(query(form, kMaxExprDepth - 1)), "no error") << form;
    EXPECT_THAT(ErrorText(query(form, kMaxExprDepth)), HasSubstr("nested more than 512 levels"))
        << form;
  }
  // As many operators may be in a duration.
  EXPECT_EQ(ErrorText("a[5m" + Times(" + 5m", kMaxExprDepth) + "]"), "no error");
  EXPECT_THAT(ErrorText("a[5m" + Times(" + 5m", kMaxExprDepth + 1) + "]"),
              HasSubstr("nested more than 512 levels"));
  // Those of the next duration are counted anew.
  const std::string half = Times(" + 5m", kMaxExprDepth / 2 + 1);
  EXPECT_EQ(ErrorText("a[5m" + half + "] offset (5m" + half + ")"), "no error");
  EXPECT_EQ(ErrorText("a[5m" + half + ":5m" + half + "]"), "no error");
}

TEST(SyntaxTreeTest, AggregationsHaveTheirParts) {
  const std::pair<const char*, AggregateOp> cases[] = {
      {"sum(a)", AggregateOp::kSum},
      {"AVG(a)", AggregateOp::kAvg},
      {"count(a)", AggregateOp::kCount},
      {"min(a)", AggregateOp::kMin},
      {"max(a)", AggregateOp::kMax},
      {"group(a)", AggregateOp::kGroup},
      {"stddev(a)", AggregateOp::kStddev},
      {"stdvar(a)", AggregateOp::kStdvar},
      {"topk(1, a)", AggregateOp::kTopk},
      {"bottomk(1, a)", AggregateOp::kBottomk},
      {"count_values(\"v\", a)", AggregateOp::kCountValues},
      {"quantile(1, a)", AggregateOp::kQuantile},
      {"limitk(1, a)", AggregateOp::kLimitk},
      {"limit_ratio(1, a)", AggregateOp::kLimitRatio},
  };
  for (const auto& [query, op] : cases) {
    const ExprPtr expr = Parsed(query);
    const auto& aggregate = As<AggregateExpr>(*expr);
    EXPECT_EQ(aggregate.op, op) << query;
    EXPECT_EQ(aggregate.param != nullptr, std::string_view(query).find(',') != std::string::npos);
    EXPECT_EQ(As<VectorSelector>(*aggregate.operand).name, "a") << query;
    EXPECT_FALSE(aggregate.without);
    EXPECT_EQ(aggregate.type, ValueType::kVector);
  }
  const ExprPtr by = Parsed("sum(a) BY (x, \"y z\",)");
  EXPECT_THAT(As<AggregateExpr>(*by).grouping, ElementsAre("x", "y z"));
  const ExprPtr without = Parsed("sum without () (a)");
  EXPECT_THAT(As<AggregateExpr>(*without).grouping, IsEmpty());
  EXPECT_TRUE(As<AggregateExpr>(*without).without);
}

TEST(SyntaxTreeTest, BinaryOperatorsHaveTheirModifiers) {
  const auto binary = [](const ExprPtr& expr) -> const BinaryExpr& {
    return As<BinaryExpr>(*expr);
  };
  const ExprPtr plain = Parsed("a == b");
  EXPECT_FALSE(binary(plain).return_bool);
  EXPECT_FALSE(binary(plain).matching->on);
  EXPECT_EQ(binary(plain).matching->cardinality, MatchCardinality::kOneToOne);
  EXPECT_EQ(binary(plain).op_position, (PositionRange{2, 4}));
  const ExprPtr full = Parsed("a <= bool on (x) group_left (y) fill_left (1) fill_right (-2) b");
  EXPECT_EQ(binary(full).op, BinaryOp::kLessEqual);
  EXPECT_TRUE(binary(full).return_bool);
  EXPECT_TRUE(binary(full).matching->on);
  EXPECT_THAT(binary(full).matching->labels, ElementsAre("x"));
  EXPECT_THAT(binary(full).matching->include, ElementsAre("y"));
  EXPECT_EQ(binary(full).matching->cardinality, MatchCardinality::kManyToOne);
  EXPECT_EQ(binary(full).matching->fill_left, 1);
  EXPECT_EQ(binary(full).matching->fill_right, -2);
  const ExprPtr right = Parsed("a * ignoring (x) group_right fill (+3) b");
  EXPECT_FALSE(binary(right).matching->on);
  EXPECT_EQ(binary(right).matching->cardinality, MatchCardinality::kOneToMany);
  EXPECT_EQ(binary(right).matching->fill_left, 3);
  EXPECT_EQ(binary(right).matching->fill_right, 3);
  const ExprPtr set = Parsed("a unless b");
  EXPECT_EQ(binary(set).matching->cardinality, MatchCardinality::kManyToMany);
  // Numbers are not matched.
  EXPECT_FALSE(binary(Parsed("a * 2")).matching.has_value());
  EXPECT_FALSE(binary(Parsed("1 + 2")).matching.has_value());
  EXPECT_EQ(Parsed("1 + 2")->type, ValueType::kScalar);
  EXPECT_EQ(Parsed("1 + a")->type, ValueType::kVector);
}

TEST(SyntaxTreeTest, EachOperatorIsItsOwn) {
  const std::pair<const char*, BinaryOp> cases[] = {
      {"a + b", BinaryOp::kAdd},        {"a - b", BinaryOp::kSub},
      {"a * b", BinaryOp::kMul},        {"a / b", BinaryOp::kDiv},
      {"a % b", BinaryOp::kMod},        {"a ^ b", BinaryOp::kPow},
      {"a ATAN2 b", BinaryOp::kAtan2},  {"a == b", BinaryOp::kEqual},
      {"a != b", BinaryOp::kNotEqual},  {"a > b", BinaryOp::kGreater},
      {"a < b", BinaryOp::kLess},       {"a >= b", BinaryOp::kGreaterEqual},
      {"a <= b", BinaryOp::kLessEqual}, {"a AND b", BinaryOp::kAnd},
      {"a or b", BinaryOp::kOr},        {"a Unless b", BinaryOp::kUnless},
      {"a </ b", BinaryOp::kTrimUpper}, {"a >/ b", BinaryOp::kTrimLower},
  };
  for (const auto& [query, op] : cases) EXPECT_EQ(As<BinaryExpr>(*Parsed(query)).op, op) << query;
}

TEST(SyntaxTreeTest, SelectorsHaveTheirModifiers) {
  const auto selector = [](const ExprPtr& expr) -> const VectorSelector& {
    return As<VectorSelector>(*expr);
  };
  const ExprPtr at = Parsed("a @ 1.2345 offset 1.0019");
  EXPECT_EQ(selector(at).modifiers.at, AtModifier::kTimestamp);
  EXPECT_EQ(selector(at).modifiers.at_ms, 1'235);      // rounded
  EXPECT_EQ(selector(at).modifiers.offset_ms, 1'001);  // truncated
  EXPECT_EQ(selector(Parsed("a @ -1.2345")).modifiers.at_ms, -1'235);
  EXPECT_EQ(selector(Parsed("a @ +5m")).modifiers.at_ms, 300'000);
  EXPECT_EQ(selector(Parsed("a @ start()")).modifiers.at, AtModifier::kStart);
  EXPECT_EQ(selector(Parsed("a @ end()")).modifiers.at, AtModifier::kEnd);
  EXPECT_EQ(selector(Parsed("a @ 9000000000000000")).modifiers.at_ms, 9'000'000'000'000'000'000);
  EXPECT_THAT(ErrorText("a @ 9223372036854776"), HasSubstr("timestamp out of bounds"));
  EXPECT_THAT(ErrorText("a @ -9223372036854776"), HasSubstr("timestamp out of bounds"));
  EXPECT_EQ(selector(Parsed("a anchored")).edges, RangeEdges::kAnchored);
  EXPECT_EQ(selector(Parsed("a smoothed smoothed")).edges, RangeEdges::kSmoothed);
  EXPECT_EQ(As<MatrixSelector>(*Parsed("a[5m] anchored")).selector->edges, RangeEdges::kAnchored);
  const ExprPtr subquery = Parsed("a[5m:1m] @ 7 offset -1m");
  EXPECT_EQ(As<SubqueryExpr>(*subquery).step_ms, 60'000);
  EXPECT_EQ(As<SubqueryExpr>(*subquery).range_ms, 300'000);
  EXPECT_EQ(As<SubqueryExpr>(*subquery).modifiers.at_ms, 7'000);
  EXPECT_EQ(As<SubqueryExpr>(*subquery).modifiers.offset_ms, -60'000);
  EXPECT_EQ(As<SubqueryExpr>(*Parsed("a[5m:]")).step_ms, 0);
}

TEST(SyntaxTreeTest, ModifiersAreSetOnce) {
  for (const char* query : {"a offset 1m offset 1m", "a offset step() offset 1m",
                            "a[5m] offset 1m offset 1m", "a[5m:] offset 1m offset step()"}) {
    EXPECT_EQ(ErrorText(query), "1:1: parse error: offset may not be set multiple times") << query;
  }
  EXPECT_EQ(ErrorText("a offset 0s offset 1m"), "no error");
  EXPECT_EQ(ErrorText("b + a[5m:] @ end() @ start()"),
            "1:5: parse error: @ <timestamp> may not be set multiple times");
  EXPECT_EQ(ErrorText("1 anchored"), "1:1: parse error: anchored modifier not implemented");
  EXPECT_EQ(ErrorText("sum(a) smoothed"), "1:1: parse error: smoothed modifier not implemented");
}

TEST(SyntaxTreeTest, MatchersKeepTheirOrderAndKinds) {
  const ExprPtr expr = Parsed("a{b=\"1\", c!=\"2\", d=~\"3\", e!~\"4\", \"f g\"=\"5\"}");
  std::vector<std::string> matchers;
  for (const Matcher& matcher : As<VectorSelector>(*expr).matchers) {
    matchers.push_back(matcher.ToString());
  }
  EXPECT_THAT(matchers, ElementsAre("b=\"1\"", "c!=\"2\"", "d=~\"3\"", "e!~\"4\"", HasSubstr("f g"),
                                    "__name__=\"a\""));
  EXPECT_EQ(As<VectorSelector>(*Parsed("{\"a b\"}")).name, "");
  EXPECT_EQ(As<VectorSelector>(*Parsed("{\"a b\"}")).matchers[0],
            Matcher::Equal("__name__", "a b"));
  EXPECT_THAT(ErrorText("sum(a{b=~\"(\"})"), HasSubstr("1:7: parse error: "));
}

TEST(SyntaxTreeTest, NumbersAreThoseOfGo) {
  const std::pair<const char*, double> cases[] = {
      {"1", 1},
      {"1.5", 1.5},
      {".5", 0.5},
      {"5.", 5},
      {"1e3", 1000},
      {"1E-2", 0.01},
      {"1_000", 1000},
      {"0x1F", 31},
      {"0XaB", 171},
      {"0x_f", 15},
      {"017", 15},
      {"019", 19},
      {"0", 0},
      {"00", 0},
      {"1e-400", 0},
      {"0x7fffffffffffffff", 9223372036854775807.0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
  };
  for (const auto& [text, value] : cases) {
    const absl::StatusOr<double> number = ParseNumber(text);
    ASSERT_TRUE(number.ok()) << text << ": " << number.status();
    EXPECT_EQ(*number, value) << text;
  }
  EXPECT_EQ(*ParseNumber("iNf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*ParseNumber("NAN")));
  for (const char* text : {"_1", "1_", "1__0", "1._5", "0x", "0xg", "0x8000000000000000", "1e309",
                           "infi", "in", "1x"}) {
    EXPECT_FALSE(ParseNumber(text).ok()) << text;
  }
  EXPECT_EQ(Message(ParseNumber("1e309").status()),
            "error parsing number: strconv.ParseFloat: parsing \"1e309\": value out of range");
}

TEST(SyntaxTreeTest, DurationsUpToTheLimitOfNanoseconds) {
  // 2^63 nanoseconds are 9223372036.854775807 seconds, or 106751 days and some hours.
  EXPECT_EQ(*ParseDurationMs("9223372036854ms"), 9'223'372'036'854);
  EXPECT_EQ(Message(ParseDurationMs("9223372036855ms").status()), "duration out of range");
  EXPECT_EQ(*ParseDurationMs("9223372036s854ms"), 9'223'372'036'854);
  EXPECT_EQ(Message(ParseDurationMs("9223372036s855ms").status()), "duration out of range");
  EXPECT_EQ(*ParseDurationMs("106751d"), 106'751LL * 86'400'000);
  EXPECT_EQ(Message(ParseDurationMs("106752d").status()), "duration out of range");
  EXPECT_EQ(Message(ParseDurationMs("").status()), "empty duration string");
  EXPECT_EQ(Message(ParseDurationMs("5m5m").status()), "not a valid duration string: \"5m5m\"");
  EXPECT_EQ(Message(ParseDurationMs("5").status()), "not a valid duration string: \"5\"");
  EXPECT_EQ(Message(ParseDurationMs("5x").status()), "unknown unit \"x\" in duration \"5x\"");
}

TEST(SyntaxTreeTest, TheShortestRangeIsAMillisecond) {
  EXPECT_EQ(As<MatrixSelector>(*Parsed("a[0.001]")).range_ms, 1);
  EXPECT_EQ(As<MatrixSelector>(*Parsed("a[1ms]")).range_ms, 1);
  EXPECT_THAT(ErrorText("a[0.0009]"), HasSubstr("1:3: parse error: duration must be greater"));
  EXPECT_EQ(As<MatrixSelector>(*Parsed("a[9223372036]")).range_ms, 9'223'372'036'000);
  EXPECT_THAT(ErrorText("a[9223372037]"), HasSubstr("1:3: parse error: duration out of range"));
  // An offset that is out of range begins with its sign.
  EXPECT_THAT(ErrorText("a offset -9223372037"), HasSubstr("1:10: parse error: duration out of"));
  EXPECT_THAT(ErrorText("a offset - (9223372037)"), HasSubstr("1:13: parse error: duration out"));
}

TEST(SyntaxTreeTest, DurationsHaveTheirOperators) {
  using Op = DurationExpr::Op;
  const std::pair<const char*, Op> cases[] = {
      {"a[1m + 1m]", Op::kAdd},      {"a[2m - 1m]", Op::kSub},      {"a[1m * 2]", Op::kMul},
      {"a[1m / 2]", Op::kDiv},       {"a[5m % 2m]", Op::kMod},      {"a[2 ^ 3]", Op::kPow},
      {"a[step()]", Op::kStep},      {"a[range()]", Op::kRange},    {"a[-step()]", Op::kNegate},
      {"a[min_of(1, 2)]", Op::kMin}, {"a[max_of(1, 2)]", Op::kMax}, {"a[(1 + 2)]", Op::kAdd},
  };
  for (const auto& [query, op] : cases) {
    const ExprPtr expr = Parsed(query);
    ASSERT_NE(As<MatrixSelector>(*expr).range_expr, nullptr) << query;
    EXPECT_EQ(As<MatrixSelector>(*expr).range_expr->op, op) << query;
  }
  // Products bind tighter than sums, powers to the right.
  const ExprPtr sum = Parsed("a[1 + 2 * 3]");
  EXPECT_EQ(As<MatrixSelector>(*sum).range_expr->rhs->op, Op::kMul);
  const ExprPtr difference = Parsed("a[9 - 2 - 1]");
  EXPECT_EQ(As<MatrixSelector>(*difference).range_expr->lhs->op, Op::kSub);
  const ExprPtr power = Parsed("a[2 ^ 3 ^ 1]");
  EXPECT_EQ(As<MatrixSelector>(*power).range_expr->rhs->op, Op::kPow);
  const ExprPtr negated = Parsed("a[-2 ^ 2 + 9]");
  EXPECT_EQ(As<MatrixSelector>(*negated).range_expr->lhs->op, Op::kNegate);
}

// "START-END" of a duration and of those below it.
void AppendPlaces(const DurationExpr* duration, std::vector<std::string>& places) {
  if (duration == nullptr) return;
  places.push_back(std::to_string(duration->position.start) + "-" +
                   std::to_string(duration->position.end));
  AppendPlaces(duration->lhs.get(), places);
  AppendPlaces(duration->rhs.get(), places);
}

TEST(SyntaxTreeTest, DurationsHavePlaces) {
  const auto places = [](std::string_view query) {
    std::vector<std::string> found;
    AppendPlaces(As<MatrixSelector>(*Parsed(query)).range_expr.get(), found);
    return found;
  };
  EXPECT_THAT(places("a[1m +  20s]"), ElementsAre("2-11", "2-4", "8-11"));
  EXPECT_THAT(places("a[ -step() ]"), ElementsAre("3-10", "4-10"));
  EXPECT_THAT(places("a[- 1 + range( )]"), ElementsAre("2-16", "2-5", "8-16"));
  // Functions of two operands have the place of those.
  EXPECT_THAT(places("a[max_of( 1, 22 )]"), ElementsAre("10-15", "10-11", "13-15"));
  EXPECT_THAT(places("a[(1) * 2]"), ElementsAre("3-9", "3-4", "8-9"));
}

TEST(SyntaxTreeTest, ParsingStopsWhenTheQueryIsCancelled) {
  QueryBudget budget(1'000, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(ParseExpr("a{b=~\"c\"}", &budget).ok());
  EXPECT_TRUE(ParseExpr("WITH (x = m) x", &budget).ok());
  budget.Cancel();
  EXPECT_EQ(ParseExpr("a{b=~\"c\"}", &budget).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ParseExpr("WITH (x = m) x", &budget).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ParseMetricSelector("a{b=\"c\"}", &budget).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(SyntaxTreeTest, ALineHasAHundredCharacters) {
  const std::string fits = "sum(" + std::string(95, 'a') + ")";
  EXPECT_EQ(PrintPretty(*Parsed(fits)), fits);
  const std::string name(96, 'a');
  EXPECT_EQ(PrintPretty(*Parsed("sum(" + name + ")")), "sum(\n  " + name + "\n)");
  EXPECT_EQ(PrintPretty(*Parsed("topk(1, " + name + ")")), "topk(\n  1,\n  " + name + "\n)");
  EXPECT_EQ(PrintPretty(*Parsed("round(" + name + ", 2)")), "round(\n  " + name + ",\n  2\n)");
  EXPECT_EQ(PrintPretty(*Parsed("+" + name + name)), "+" + name + name);
  // A subquery that fits is not indented, as in Prometheus.
  EXPECT_EQ(PrintPretty(*Parsed("max_over_time(" + name.substr(8) + "[5m:1m])")),
            "max_over_time(\n" + name.substr(8) + "[5m:1m]\n)");
  EXPECT_EQ(PrintPretty(*Parsed("max_over_time(" + name + "[5m:1m])")),
            "max_over_time(\n  " + name + "[5m:1m]\n)");
}

TEST(SyntaxTreeTest, AsManyTemplatesAsTheLimit) {
  std::string names = "WITH (f(p, q) = p";
  for (int i = 1; i < 128; ++i) names += ", y" + std::to_string(i) + " = 1";
  EXPECT_EQ(ErrorText(names + ") y1"), "no error");
  EXPECT_THAT(ErrorText(names + ", z = 1) y1"), HasSubstr("more than 128 template names"));
  // Parameters will be names too.
  std::string fewer = "WITH (";
  for (int i = 0; i < 125; ++i) fewer += "y" + std::to_string(i) + " = 1, ";
  EXPECT_EQ(ErrorText(fewer + "f(p, q) = p) f(1, 2)"), "no error");
  EXPECT_THAT(ErrorText(fewer + "f(p, q, r) = p) f(1, 2, 3)"),
              HasSubstr("more than 128 template names are in scope"));
}

TEST(SyntaxTreeTest, TemplatesAreKnownUntilTheirExpressionEnds) {
  EXPECT_EQ(Print(*Parsed("(WITH (x = 1) x) + x")), "(1) + x");
  EXPECT_EQ(Print(*Parsed("sum(WITH (x = a) x) / sum(WITH (x = b) x)")), "sum(a) / sum(b)");
  EXPECT_EQ(Print(*Parsed("WITH (x = a, y = WITH (x = b) x) x + y")), "(a + b)");
}

TEST(SyntaxTreeTest, WhatIsAfterATemplateIsRefused) {
  EXPECT_EQ(ErrorText("WITH (x = m) x y"), "1:16: parse error: unexpected identifier \"y\"");
  EXPECT_EQ(ErrorText("WITH (x = m) x{a=\"b\",,}"),
            "1:22: parse error: unexpected \",\" in label matching, expected identifier or \"}\"");
  EXPECT_EQ(ErrorText("WITH (f(x y) = 1) f(1)"),
            "1:11: parse error: unexpected identifier \"y\" in WITH, expected \",\" or \")\"");
  EXPECT_EQ(ErrorText("WITH (x = 1 y = 2) x"), "1:13: parse error: unexpected identifier \"y\"");
  EXPECT_EQ(ErrorText("WITH (f(1) = 1) f(1)"),
            "1:9: parse error: unexpected number \"1\" in WITH, expected name");
  EXPECT_EQ(ErrorText("WITH (x = {a=\"b\"} anchored) m{x}"),
            "1:31: parse error: template \"x\" is not a list of matchers in braces");
  EXPECT_EQ(ErrorText("WITH (x = {a=\"b\"} @ 5) m{x}"),
            "1:26: parse error: template \"x\" is not a list of matchers in braces");
}

}  // namespace
}  // namespace lockstep::promql
