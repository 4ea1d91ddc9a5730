#include "tests/promqltest/variations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promqltest {
namespace {

constexpr int64_t kMinuteMs = 60000;

using promql::Expr;
using promql::ExprKind;
using promql::FunctionId;

// Whether the function's value depends on the evaluation time even if its selectors are pinned.
bool DependsOnTime(FunctionId id) {
  constexpr FunctionId kIds[] = {
      FunctionId::kDayOfMonth,  FunctionId::kDayOfWeek, FunctionId::kDayOfYear,
      FunctionId::kDaysInMonth, FunctionId::kEnd,       FunctionId::kHour,
      FunctionId::kMinute,      FunctionId::kMonth,     FunctionId::kPredictLinear,
      FunctionId::kRange,       FunctionId::kStart,     FunctionId::kStep,
      FunctionId::kTime,        FunctionId::kTimestamp, FunctionId::kYear,
  };
  return std::find(std::begin(kIds), std::end(kIds), id) != std::end(kIds);
}

// Adds `@ TIME` to every selector and outermost subquery without one.
class Pinner {
 public:
  explicit Pinner(int64_t at_ms) : at_ms_(at_ms) {}

  bool depends_on_time() const { return depends_on_time_; }

  void Pin(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kNumber:
      case ExprKind::kString:
        return;
      case ExprKind::kParen:
        return Pin(*static_cast<promql::ParenExpr&>(expr).inner);
      case ExprKind::kUnary:
        return Pin(*static_cast<promql::UnaryExpr&>(expr).operand);
      case ExprKind::kBinary:
        Pin(*static_cast<promql::BinaryExpr&>(expr).lhs);
        return Pin(*static_cast<promql::BinaryExpr&>(expr).rhs);
      case ExprKind::kVectorSelector:
        return Set(static_cast<promql::VectorSelector&>(expr).modifiers);
      case ExprKind::kMatrixSelector:
        return Set(static_cast<promql::MatrixSelector&>(expr).selector->modifiers);
      case ExprKind::kSubquery:
        return PinSubquery(static_cast<promql::SubqueryExpr&>(expr));
      case ExprKind::kAggregate:
        return PinAggregate(static_cast<promql::AggregateExpr&>(expr));
      case ExprKind::kCall:
        return PinCall(static_cast<promql::Call&>(expr));
    }
  }

 private:
  void Set(promql::TimeModifiers& modifiers) {
    if (inside_subquery_ || modifiers.at == promql::AtModifier::kTimestamp) return;
    modifiers.at = promql::AtModifier::kTimestamp;
    modifiers.at_ms = at_ms_;
  }

  void PinSubquery(promql::SubqueryExpr& subquery) {
    Set(subquery.modifiers);
    // The subquery already pins what is inside; this only finds functions that depend on the time.
    const bool outer = std::exchange(inside_subquery_, true);
    Pin(*subquery.inner);
    inside_subquery_ = outer;
  }

  void PinAggregate(promql::AggregateExpr& aggregate) {
    Pin(*aggregate.operand);
    if (aggregate.param != nullptr) Pin(*aggregate.param);
  }

  void PinCall(promql::Call& call) {
    depends_on_time_ |= DependsOnTime(call.function->id);
    for (const promql::ExprPtr& arg : call.args) Pin(*arg);
  }

  const int64_t at_ms_;
  bool inside_subquery_ = false;
  bool depends_on_time_ = false;
};

std::optional<std::string> PinnedQuery(const EvalCommand& eval) {
  absl::StatusOr<promql::ExprPtr> expr = promql::ParseExpr(eval.query);
  if (!expr.ok()) return std::nullopt;
  Pinner pinner(eval.start_ms);
  pinner.Pin(**expr);
  if (pinner.depends_on_time()) return std::nullopt;
  return promql::Print(**expr);
}

bool AsksForQueryTimes(const std::string& query) {
  for (const std::string_view call : {"start()", "end()", "range()", "step()"}) {
    if (query.find(call) != query.npos) return true;
  }
  return false;
}

bool HasRangeForm(const EvalCommand& eval) {
  const Expectations& expected = eval.expected;
  return !expected.fail && !expected.ordered && !expected.string && !expected.range_vector &&
         !AsksForQueryTimes(eval.query);
}

Variation RangeAround(const EvalCommand& eval, std::string name) {
  Variation variation{std::move(name), eval, eval};
  variation.asked.is_range = true;
  variation.asked.start_ms = eval.start_ms - kMinuteMs;
  variation.asked.end_ms = eval.start_ms + kMinuteMs;
  variation.asked.step_ms = kMinuteMs;
  // The other steps may cause annotations.
  Expectations& expected = variation.expected.expected;
  expected.warnings.clear();
  expected.infos.clear();
  expected.no_warnings = false;
  expected.no_infos = false;
  return variation;
}

}  // namespace

std::vector<Variation> VariationsOf(const EvalCommand& eval) {
  std::vector<Variation> variations;
  if (eval.is_range) return variations;
  if (HasRangeForm(eval)) variations.push_back(RangeAround(eval, "as range query"));
  const std::optional<std::string> pinned = PinnedQuery(eval);
  if (!pinned || eval.expected.range_vector) return variations;
  const int64_t t = eval.start_ms;
  const std::vector<int64_t> times = t == 0 ? std::vector<int64_t>{-1000, 0, 1000}
                                            : std::vector<int64_t>{-10 * t, 0, t / 5, t, 10 * t};
  for (const int64_t time : times) {
    EvalCommand moved = eval;
    moved.query = *pinned;
    moved.start_ms = time;
    moved.end_ms = time;
    const std::string name = absl::StrFormat("%s at %dms", *pinned, time);
    if (HasRangeForm(moved)) variations.push_back(RangeAround(moved, name + " as range query"));
    variations.push_back({name, moved, moved});
  }
  return variations;
}

absl::StatusOr<engine::QueryResult> AtMiddleStep(const Variation& variation,
                                                 absl::StatusOr<engine::QueryResult> answer) {
  if (!variation.asked.is_range || !answer.ok()) return answer;
  const int64_t t = variation.expected.start_ms;
  engine::VectorResult vector;
  for (const engine::MatrixSeries& series : std::get<engine::MatrixResult>(answer->value)) {
    for (size_t i = 0; i < series.samples.values.size(); ++i) {
      if (series.samples.timestamps_ms[i] != t) continue;
      vector.push_back({series.labels, t, series.samples.values[i], nullptr});
    }
    for (const HistogramSample& sample : series.samples.histograms) {
      if (sample.timestamp_ms == t) vector.push_back({series.labels, t, 0, sample.histogram});
    }
  }
  if (variation.expected.expected.scalar && vector.size() == 1) {
    answer->value = engine::ScalarResult{t, vector.front().value};
  } else {
    answer->value = std::move(vector);
  }
  return answer;
}

}  // namespace lockstep::promqltest
