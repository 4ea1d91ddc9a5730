#include "query/engine/context/histogram_stats.h"

#include <memory>

#include "query/engine/kernels/histograms/histogram_math.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;
using promql::FunctionId;

enum class Buckets { kUnasked, kDropped, kNeeded };

Buckets BelowCall(FunctionId id, Buckets above) {
  if (above == Buckets::kNeeded) return above;
  switch (id) {
    case FunctionId::kHistogramCount:
    case FunctionId::kHistogramSum:
    case FunctionId::kHistogramAvg:
      return Buckets::kDropped;
    case FunctionId::kHistogramQuantile:
    case FunctionId::kHistogramQuantiles:
    case FunctionId::kHistogramFraction:
      return Buckets::kNeeded;
    default:
      return above;
  }
}

Buckets BelowOperator(promql::BinaryOp op, Buckets above) {
  const bool trims = op == promql::BinaryOp::kTrimUpper || op == promql::BinaryOp::kTrimLower;
  return trims ? Buckets::kNeeded : above;
}

void Find(const Expr& expr, Buckets buckets, SelectorSet& found) {
  switch (expr.kind) {
    case ExprKind::kVectorSelector:
      if (buckets == Buckets::kDropped) found.insert(&As<promql::VectorSelector>(expr));
      return;
    case ExprKind::kMatrixSelector:
      return Find(*As<promql::MatrixSelector>(expr).selector, buckets, found);
    case ExprKind::kParen:
      return Find(*As<promql::ParenExpr>(expr).inner, buckets, found);
    case ExprKind::kUnary:
      return Find(*As<promql::UnaryExpr>(expr).operand, buckets, found);
    case ExprKind::kSubquery:
      return Find(*As<promql::SubqueryExpr>(expr).inner, Buckets::kNeeded, found);
    case ExprKind::kAggregate:
      return Find(*As<promql::AggregateExpr>(expr).operand, buckets, found);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      const Buckets below = BelowOperator(binary.op, buckets);
      Find(*binary.lhs, below, found);
      return Find(*binary.rhs, below, found);
    }
    case ExprKind::kCall: {
      const auto& call = As<promql::Call>(expr);
      for (const promql::ExprPtr& argument : call.args) {
        Find(*argument, BelowCall(call.function->id, buckets), found);
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace

SelectorSet FindHistogramStatsSelectors(const Expr& expr) {
  SelectorSet found;
  Find(expr, Buckets::kUnasked, found);
  return found;
}

void KeepStatsOnly(SampleColumns& columns) {
  std::shared_ptr<const Histogram> before;
  for (HistogramSample& sample : columns.histograms) {
    const std::shared_ptr<const Histogram> read = sample.histogram;
    if (IsStaleMarker(*read)) continue;
    auto stats = std::make_shared<Histogram>();
    stats->reset_hint = read->reset_hint;
    if (before != nullptr && read->reset_hint == CounterResetHint::kUnknown) {
      stats->reset_hint =
          DetectReset(*read, *before) ? CounterResetHint::kReset : CounterResetHint::kNotReset;
    }
    stats->schema = read->schema;
    stats->count = read->count;
    stats->sum = read->sum;
    sample.histogram = std::move(stats);
    before = read;
  }
}

}  // namespace lockstep::engine
