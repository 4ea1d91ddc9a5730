#include "api/query/syntax_tree_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/float_format.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::api {
namespace {

using promql::As;
using promql::Expr;

std::string_view TypeName(promql::ValueType type) {
  switch (type) {
    case promql::ValueType::kScalar:
      return "scalar";
    case promql::ValueType::kVector:
      return "vector";
    case promql::ValueType::kMatrix:
      return "matrix";
    case promql::ValueType::kString:
      return "string";
    case promql::ValueType::kNone:
      break;
  }
  return "none";
}

std::string_view CardinalityName(promql::MatchCardinality cardinality) {
  switch (cardinality) {
    case promql::MatchCardinality::kOneToOne:
      return "one-to-one";
    case promql::MatchCardinality::kManyToOne:
      return "many-to-one";
    case promql::MatchCardinality::kOneToMany:
      return "one-to-many";
    case promql::MatchCardinality::kManyToMany:
      break;
  }
  return "many-to-many";
}

// One member function per node type; each writes one JSON object.
class TreeWriter {
 public:
  explicit TreeWriter(JsonWriter& json) : json_(json) {}

  // Null becomes null.
  void Write(const Expr* expr) {
    if (expr == nullptr) return Null();
    json_.BeginObject();
    WriteFields(*expr);
    json_.EndObject();
  }

 private:
  void WriteFields(const Expr& expr) {
    switch (expr.kind) {
      case promql::ExprKind::kNumber:
        Text("type", "numberLiteral");
        return Text("val", FormatPlainValue(As<promql::NumberLiteral>(expr).value));
      case promql::ExprKind::kString:
        Text("type", "stringLiteral");
        return Text("val", As<promql::StringLiteral>(expr).value);
      case promql::ExprKind::kParen:
        Child("expr", As<promql::ParenExpr>(expr).inner.get());
        return Text("type", "parenExpr");
      case promql::ExprKind::kUnary:
        Child("expr", As<promql::UnaryExpr>(expr).operand.get());
        Text("op", As<promql::UnaryExpr>(expr).negate ? "-" : "+");
        return Text("type", "unaryExpr");
      case promql::ExprKind::kBinary:
        return WriteBinary(As<promql::BinaryExpr>(expr));
      case promql::ExprKind::kVectorSelector:
        return WriteVectorSelector(As<promql::VectorSelector>(expr));
      case promql::ExprKind::kMatrixSelector:
        return WriteMatrixSelector(As<promql::MatrixSelector>(expr));
      case promql::ExprKind::kSubquery:
        return WriteSubquery(As<promql::SubqueryExpr>(expr));
      case promql::ExprKind::kAggregate:
        return WriteAggregate(As<promql::AggregateExpr>(expr));
      case promql::ExprKind::kCall:
        return WriteCall(As<promql::Call>(expr));
    }
  }

  void WriteBinary(const promql::BinaryExpr& binary) {
    Flag("bool", binary.return_bool);
    Child("lhs", binary.lhs.get());
    json_.Key("matching");
    WriteMatching(binary.matching);
    Text("op", promql::OperatorName(binary.op));
    Child("rhs", binary.rhs.get());
    Text("type", "binaryExpr");
  }

  void WriteMatching(const std::optional<promql::VectorMatching>& matching) {
    if (!matching) return Null();
    json_.BeginObject();
    Text("card", CardinalityName(matching->cardinality));
    json_.Key("fillValues");
    json_.BeginObject();
    FillValue("lhs", matching->fill_left);
    FillValue("rhs", matching->fill_right);
    json_.EndObject();
    Texts("include", matching->include);
    Texts("labels", matching->labels);
    Flag("on", matching->on);
    json_.EndObject();
  }

  void WriteAggregate(const promql::AggregateExpr& aggregate) {
    Child("expr", aggregate.operand.get());
    Texts("grouping", aggregate.grouping);
    Text("op", promql::AggregatorName(aggregate.op));
    Child("param", aggregate.param.get());
    Text("type", "aggregation");
    Flag("without", aggregate.without);
  }

  void WriteCall(const promql::Call& call) {
    json_.Key("args");
    json_.BeginArray();
    for (const promql::ExprPtr& argument : call.args) Write(argument.get());
    json_.EndArray();
    json_.Key("func");
    json_.BeginObject();
    json_.Key("argTypes");
    json_.BeginArray();
    for (const promql::ValueType type : call.function->arg_types) json_.String(TypeName(type));
    json_.EndArray();
    Text("name", call.function->name);
    Text("returnType", TypeName(call.function->return_type));
    Number("variadic", call.function->variadic);
    json_.EndObject();
    Text("type", "call");
  }

  void WriteVectorSelector(const promql::VectorSelector& selector) {
    Flag("anchored", selector.edges == promql::RangeEdges::kAnchored);
    WriteMatchers(selector);
    Number("offset", selector.modifiers.offset_ms);
    Flag("smoothed", selector.edges == promql::RangeEdges::kSmoothed);
    WriteAt(selector.modifiers);
    Text("type", "vectorSelector");
  }

  void WriteMatrixSelector(const promql::MatrixSelector& matrix) {
    const promql::VectorSelector& selector = *matrix.selector;
    Flag("anchored", selector.edges == promql::RangeEdges::kAnchored);
    WriteMatchers(selector);
    Number("offset", selector.modifiers.offset_ms);
    Number("range", matrix.range_ms);
    Flag("smoothed", selector.edges == promql::RangeEdges::kSmoothed);
    WriteAt(selector.modifiers);
    Text("type", "matrixSelector");
  }

  void WriteSubquery(const promql::SubqueryExpr& subquery) {
    Child("expr", subquery.inner.get());
    Number("offset", subquery.modifiers.offset_ms);
    Number("range", subquery.range_ms);
    WriteStartOrEnd(subquery.modifiers.at);
    Number("step", subquery.step_ms);
    WriteTimestamp(subquery.modifiers);
    Text("type", "subquery");
  }

  void WriteMatchers(const promql::VectorSelector& selector) {
    json_.Key("matchers");
    json_.BeginArray();
    for (const Matcher& matcher : selector.matchers) {
      json_.BeginObject();
      Text("name", matcher.name());
      Text("type", ToString(matcher.type()));
      Text("value", matcher.value());
      json_.EndObject();
    }
    json_.EndArray();
    Text("name", selector.name);
  }

  void WriteAt(const promql::TimeModifiers& modifiers) {
    WriteStartOrEnd(modifiers.at);
    WriteTimestamp(modifiers);
  }

  void WriteStartOrEnd(promql::AtModifier at) {
    if (at == promql::AtModifier::kStart) return Text("startOrEnd", "start");
    if (at == promql::AtModifier::kEnd) return Text("startOrEnd", "end");
    json_.Key("startOrEnd");
    Null();
  }

  void WriteTimestamp(const promql::TimeModifiers& modifiers) {
    if (modifiers.at == promql::AtModifier::kTimestamp) {
      return Number("timestamp", modifiers.at_ms);
    }
    json_.Key("timestamp");
    Null();
  }

  void Null() { json_.Raw() += "null"; }
  void Text(std::string_view key, std::string_view text) {
    json_.Key(key);
    json_.String(text);
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    json_.Key(key);
    json_.BeginArray();
    for (const std::string& text : texts) json_.String(text);
    json_.EndArray();
  }
  void Flag(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }
  void Number(std::string_view key, int64_t number) {
    json_.Key(key);
    json_.Number(number);
  }
  void FillValue(std::string_view key, std::optional<double> value) {
    json_.Key(key);
    if (!value) return Null();
    json_.Number(*value);
  }
  void Child(std::string_view key, const Expr* expr) {
    json_.Key(key);
    Write(expr);
  }

  JsonWriter& json_;
};

}  // namespace

void WriteSyntaxTree(JsonWriter& json, const Expr& expr) { TreeWriter(json).Write(&expr); }

}  // namespace lockstep::api
