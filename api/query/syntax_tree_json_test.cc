#include "api/query/syntax_tree_json.h"

#include <gtest/gtest.h>

#include <string>

#include "query/promql/parser/parser.h"

namespace lockstep::api {
namespace {

std::string Tree(std::string_view text) {
  const auto expr = promql::ParseExpr(text);
  if (!expr.ok()) return std::string(Message(expr.status()));
  std::string out;
  JsonWriter json(out);
  WriteSyntaxTree(json, **expr);
  return out;
}

// The expected trees follow Prometheus' web/api/v1/translate_ast.go;
// tests/interop/syntax_tree_test.py compares with a real server, which does not have the keys
// anchored, smoothed and fillValues yet.
TEST(SyntaxTreeJsonTest, OneObjectPerNode) {
  EXPECT_EQ(Tree("1e3"), R"({"type":"numberLiteral","val":"1000"})");
  EXPECT_EQ(Tree("'<'"), R"({"type":"stringLiteral","val":"\u003c"})");
  EXPECT_EQ(Tree("(2)"), R"({"expr":{"type":"numberLiteral","val":"2"},"type":"parenExpr"})");
  EXPECT_EQ(
      Tree("x @ end()"),
      R"({"anchored":false,"matchers":[{"name":"__name__","type":"=","value":"x"}],"name":"x",)"
      R"("offset":0,"smoothed":false,"startOrEnd":"end","timestamp":null,)"
      R"("type":"vectorSelector"})");
  EXPECT_EQ(
      Tree("rate(x[5m] anchored)"),
      R"({"args":[{"anchored":true,"matchers":[{"name":"__name__","type":"=","value":"x"}],)"
      R"("name":"x","offset":0,"range":300000,"smoothed":false,"startOrEnd":null,)"
      R"("timestamp":null,"type":"matrixSelector"}],"func":{"argTypes":["matrix"],"name":"rate",)"
      R"("returnType":"vector","variadic":0},"type":"call"})");
}

TEST(SyntaxTreeJsonTest, MatchingIsNullUnlessBothSidesAreVectors) {
  EXPECT_EQ(Tree("1+2"),
            R"({"bool":false,"lhs":{"type":"numberLiteral","val":"1"},"matching":null,"op":"+",)"
            R"("rhs":{"type":"numberLiteral","val":"2"},"type":"binaryExpr"})");
  const std::string tree = Tree("a / on (x) group_left (y) fill_right (0.5) b");
  EXPECT_NE(tree.find(R"("matching":{"card":"many-to-one","fillValues":{"lhs":null,"rhs":0.5},)"
                      R"("include":["y"],"labels":["x"],"on":true})"),
            std::string::npos)
      << tree;
}

TEST(SyntaxTreeJsonTest, ASignAndASubqueryAreNodes) {
  EXPECT_EQ(Tree("-(2)"),
            R"({"expr":{"expr":{"type":"numberLiteral","val":"2"},"type":"parenExpr"},"op":"-",)"
            R"("type":"unaryExpr"})");
  const std::string x =
      R"({"anchored":false,"matchers":[{"name":"__name__","type":"=","value":"x"}],"name":"x",)"
      R"("offset":0,"smoothed":false,"startOrEnd":null,"timestamp":null,"type":"vectorSelector"})";
  EXPECT_EQ(Tree("+x"), R"({"expr":)" + x + R"(,"op":"+","type":"unaryExpr"})");
  EXPECT_EQ(Tree("x[5m:10s] @ 3 offset 1m"),
            R"({"expr":)" + x +
                R"(,"offset":60000,"range":300000,"startOrEnd":null,"step":10000,)"
                R"("timestamp":3000,"type":"subquery"})");
}

TEST(SyntaxTreeJsonTest, CardinalitiesHaveNames) {
  const auto cardinality = [](std::string_view text) {
    const std::string tree = Tree(text);
    const size_t at = tree.find(R"("card":")") + 8;
    return tree.substr(at, tree.find('"', at) - at);
  };
  EXPECT_EQ(cardinality("a + b"), "one-to-one");
  EXPECT_EQ(cardinality("a + on (x) group_left b"), "many-to-one");
  EXPECT_EQ(cardinality("a + on (x) group_right b"), "one-to-many");
  EXPECT_EQ(cardinality("a and b"), "many-to-many");
}

TEST(SyntaxTreeJsonTest, ArgumentsHaveTypes) {
  EXPECT_NE(Tree("clamp_max(x, 1)").find(R"("argTypes":["vector","scalar"])"), std::string::npos);
  EXPECT_NE(Tree("time()").find(R"("returnType":"scalar")"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::api
