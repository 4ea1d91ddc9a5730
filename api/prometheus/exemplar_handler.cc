#include "api/prometheus/exemplar_handler.h"

#include <string>
#include <utility>
#include <vector>

#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/query/result_json.h"
#include "base/text/float_format.h"
#include "query/promql/parser/parser.h"

namespace lockstep::api {
namespace {

// Null expressions contain no selections.
void AppendSelections(const promql::Expr* expr_or_null, ExemplarStore::Selections& selections) {
  using promql::As;
  if (expr_or_null == nullptr) return;
  const promql::Expr& expr = *expr_or_null;
  switch (expr.kind) {
    case promql::ExprKind::kVectorSelector:
      selections.push_back(As<promql::VectorSelector>(expr).matchers);
      return;
    case promql::ExprKind::kMatrixSelector:
      return AppendSelections(As<promql::MatrixSelector>(expr).selector.get(), selections);
    case promql::ExprKind::kParen:
      return AppendSelections(As<promql::ParenExpr>(expr).inner.get(), selections);
    case promql::ExprKind::kUnary:
      return AppendSelections(As<promql::UnaryExpr>(expr).operand.get(), selections);
    case promql::ExprKind::kSubquery:
      return AppendSelections(As<promql::SubqueryExpr>(expr).inner.get(), selections);
    case promql::ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      AppendSelections(binary.lhs.get(), selections);
      return AppendSelections(binary.rhs.get(), selections);
    }
    case promql::ExprKind::kAggregate: {
      const auto& aggregate = As<promql::AggregateExpr>(expr);
      AppendSelections(aggregate.operand.get(), selections);
      return AppendSelections(aggregate.param.get(), selections);
    }
    case promql::ExprKind::kCall:
      for (const promql::ExprPtr& argument : As<promql::Call>(expr).args) {
        AppendSelections(argument.get(), selections);
      }
      return;
    case promql::ExprKind::kNumber:
    case promql::ExprKind::kString:
      return;
  }
}

void WriteExemplar(JsonWriter& json, const Exemplar& exemplar) {
  json.BeginObject();
  json.Key("labels");
  WriteLabels(json, exemplar.labels);
  json.Field("value", FormatSampleValue(exemplar.value));
  json.Key("timestamp");
  AppendTimestamp(json.Raw(), exemplar.timestamp_ms);
  json.EndObject();
}

void WriteSeriesExemplars(JsonWriter& json, const SeriesExemplars& found) {
  json.BeginObject();
  json.Key("seriesLabels");
  WriteLabels(json, found.series);
  json.Key("exemplars");
  json.BeginArray();
  for (const Exemplar& exemplar : found.exemplars) WriteExemplar(json, exemplar);
  json.EndArray();
  json.EndObject();
}

}  // namespace

Response HandleQueryExemplars(const Call& call, SelectExemplars select, promql::Dialect dialect,
                              const QueryBudget& budget) {
  const auto range = ParseTimeRange(call.form.Get("start"), call.form.Get("end"));
  if (!range.ok()) return FailureReply(range.status());
  if (range->max_ms < range->min_ms) {
    return ErrorReply(ErrorType::kBadData, "end timestamp must not be before start timestamp");
  }
  const auto expr = promql::ParseExpr(call.form.Get("query"), &budget, dialect);
  if (!expr.ok() && !absl::IsInvalidArgument(expr.status())) return FailureReply(expr.status());
  if (!expr.ok()) return ErrorReply(ErrorType::kBadData, Message(expr.status()));
  ExemplarStore::Selections selections;
  AppendSelections(expr->get(), selections);
  if (selections.empty()) return NoContentReply();
  const std::vector<SeriesExemplars> found = select(std::move(selections), *range);
  return SuccessReply([&](JsonWriter& json) {
    json.BeginArray();
    for (const SeriesExemplars& one : found) WriteSeriesExemplars(json, one);
    json.EndArray();
  });
}

}  // namespace lockstep::api
