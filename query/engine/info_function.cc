#include "query/engine/info_function.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "query/engine/info_selection.h"
#include "query/engine/metric_labels.h"
#include "query/engine/selector_eval.h"
#include "query/engine/series_assembler.h"
#include "query/engine/time_modifiers.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

using FoundTimes = absl::StatusOr<std::optional<SelectionTimes>>;

FoundTimes TimesOfFirstSelector(const Expr& expr, const SelectionTimes& times,
                                const QueryContext& context);

absl::StatusOr<SelectionTimes> Modified(const SelectionTimes& times,
                                        const promql::TimeModifiers& modifiers,
                                        const QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(SelectionTimes modified, ResolveTimes(modifiers, times.grid, context));
  modified.pinned = modified.pinned || times.pinned;
  return modified;
}

FoundTimes TimesOfFirst(std::span<const Expr* const> expressions, const SelectionTimes& times,
                        const QueryContext& context) {
  for (const Expr* expr : expressions) {
    LOCKSTEP_ASSIGN_OR_RETURN(auto found, TimesOfFirstSelector(*expr, times, context));
    if (found.has_value()) return found;
  }
  return std::nullopt;
}

// When the leftmost selector of `expr` looks, where `expr` is evaluated at `times`: its `offset` and
// `@`, and those of the subqueries around it, hold for the info series too. None without a selector.
FoundTimes TimesOfFirstSelector(const Expr& expr, const SelectionTimes& times,
                                const QueryContext& context) {
  switch (expr.kind) {
    case ExprKind::kVectorSelector:
      return Modified(times, As<promql::VectorSelector>(expr).modifiers, context);
    case ExprKind::kMatrixSelector:
      return Modified(times, As<promql::MatrixSelector>(expr).selector->modifiers, context);
    case ExprKind::kSubquery: {
      const auto& subquery = As<promql::SubqueryExpr>(expr);
      LOCKSTEP_ASSIGN_OR_RETURN(const SelectionTimes inner,
                                Modified(times, subquery.modifiers, context));
      return TimesOfFirstSelector(*subquery.inner, inner, context);
    }
    case ExprKind::kParen:
      return TimesOfFirstSelector(*As<promql::ParenExpr>(expr).inner, times, context);
    case ExprKind::kUnary:
      return TimesOfFirstSelector(*As<promql::UnaryExpr>(expr).operand, times, context);
    case ExprKind::kAggregate:
      return TimesOfFirstSelector(*As<promql::AggregateExpr>(expr).operand, times, context);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      const Expr* const sides[] = {binary.lhs.get(), binary.rhs.get()};
      return TimesOfFirst(sides, times, context);
    }
    case ExprKind::kCall: {
      std::vector<const Expr*> arguments;
      for (const promql::ExprPtr& argument : As<promql::Call>(expr).args) {
        arguments.push_back(argument.get());
      }
      return TimesOfFirst(arguments, times, context);
    }
    default:
      return std::nullopt;
  }
}

// The info series at every step; a float is the time of its sample.
absl::StatusOr<VectorValue> ReadInfoSeries(const Expr& base_expr, std::vector<Matcher> matchers,
                                           Evaluator& evaluator) {
  if (matchers.empty()) return evaluator.NewVector();
  const SelectionTimes own{evaluator.grid(), false};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto found,
                            TimesOfFirstSelector(base_expr, own, evaluator.context()));
  const SelectionTimes& times = found.has_value() ? *found : own;
  promql::VectorSelector selector;
  selector.matchers = std::move(matchers);
  Evaluator shifted(evaluator.context(), times.grid);
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue info,
                            EvaluateSampleTimes(selector, shifted, NewestHistogram::kIsAnError));
  if (!times.pinned || evaluator.is_single_step()) {
    evaluator.counts().Add(shifted.counts());
    return info;
  }
  evaluator.counts().AddAtEveryStep(evaluator.grid().count, shifted.counts().total());
  VectorValue repeated = evaluator.NewVector();
  for (EvaluatedSeries& series : info.series) {
    Column& column = evaluator.AddSeries(repeated, std::move(series.labels), false);
    for (size_t step = 0; step < evaluator.grid().count; ++step) column.Set(step, series.column, 0);
    LOCKSTEP_RETURN_IF_ERROR(evaluator.FinishSeries(repeated));
  }
  return repeated;
}

// Info series by what identifies them; those of one metric next to each other.
using InfoIndex = absl::flat_hash_map<LabelSet, std::vector<const EvaluatedSeries*>>;

class InfoJoin {
 public:
  InfoJoin(const InfoSelection& selection, const VectorValue& info, const Evaluator& evaluator)
      : selection_(selection), output_(evaluator) {
    for (const EvaluatedSeries& series : info.series) {
      index_[IdentifyingLabels(series.labels)].push_back(&series);
    }
    for (auto& [labels, candidates] : index_) {
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const EvaluatedSeries* a, const EvaluatedSeries* b) {
                         return a->labels.metric_name() < b->labels.metric_name();
                       });
    }
  }

  absl::Status Add(EvaluatedSeries& base) {
    const auto found = index_.find(IdentifyingLabels(base.labels));
    if (selection_.IsInfoMetric(base.labels.metric_name())) {
      return output_.Add(base.labels, base.drop_name, std::move(base.column));
    }
    if (found == index_.end()) return AddUnmatched(base);
    return AddMatched(base, found->second);
  }

  VectorValue Take() { return output_.Take(); }

 private:
  absl::Status AddUnmatched(EvaluatedSeries& base) {
    if (!selection_.KeepsUnmatched()) return absl::OkStatus();
    return output_.Add(base.labels, base.drop_name, std::move(base.column));
  }

  absl::Status AddMatched(const EvaluatedSeries& base,
                          const std::vector<const EvaluatedSeries*>& candidates) {
    // Which info series go with the element changes rarely from step to step.
    absl::flat_hash_map<std::vector<const EvaluatedSeries*>, Column> columns;
    for (size_t step = 0; step < base.column.step_count(); ++step) {
      if (!base.column.present(step)) continue;
      std::vector<const EvaluatedSeries*> chosen;
      LOCKSTEP_RETURN_IF_ERROR(Choose(candidates, step, chosen));
      if (chosen.empty() && !selection_.KeepsUnmatched()) continue;
      const auto found = columns.try_emplace(std::move(chosen), base.column.step_count()).first;
      found->second.Set(step, base.column, step);
    }
    for (auto& [chosen, column] : columns) {
      LOCKSTEP_ASSIGN_OR_RETURN(LabelSet labels, Enriched(base.labels, chosen));
      LOCKSTEP_RETURN_IF_ERROR(output_.Add(std::move(labels), base.drop_name, std::move(column)));
    }
    return absl::OkStatus();
  }

  // Of every info metric the series with the newest sample at `step`.
  static absl::Status Choose(const std::vector<const EvaluatedSeries*>& candidates, size_t step,
                             std::vector<const EvaluatedSeries*>& chosen) {
    for (const EvaluatedSeries* candidate : candidates) {
      if (!candidate->column.present(step)) continue;
      const bool same_metric =
          !chosen.empty() && chosen.back()->labels.metric_name() == candidate->labels.metric_name();
      if (!same_metric) {
        chosen.push_back(candidate);
        continue;
      }
      const double have = chosen.back()->column.value(step);
      const double offered = candidate->column.value(step);
      if (have == offered) return DuplicateError(*chosen.back(), *candidate, have);
      if (have < offered) chosen.back() = candidate;
    }
    return absl::OkStatus();
  }

  static absl::Status DuplicateError(const EvaluatedSeries& existing, const EvaluatedSeries& added,
                                     double seconds) {
    const int64_t time_ms = static_cast<int64_t>(seconds * 1000);
    return absl::FailedPreconditionError(
        absl::StrFormat("found duplicate series for info metric: existing %s @ %d, new %s @ %d",
                        LabelsText(existing.labels), time_ms, LabelsText(added.labels), time_ms));
  }

  absl::StatusOr<LabelSet> Enriched(const LabelSet& base,
                                    const std::vector<const EvaluatedSeries*>& chosen) const {
    LabelSetBuilder builder(base);
    for (const EvaluatedSeries* info : chosen) {
      for (const LabelView& label : info->labels) {
        if (label.name == kMetricName || !selection_.Adds(label.name) || base.Has(label.name)) {
          continue;
        }
        const std::string_view have = builder.Get(label.name);
        if (!have.empty() && have != label.value) {
          return absl::FailedPreconditionError("conflicting label: " + std::string(label.name));
        }
        builder.Set(label.name, label.value);
      }
    }
    return builder.Build();
  }

  const InfoSelection& selection_;
  SeriesAssembler output_;
  InfoIndex index_;
};

}  // namespace

absl::StatusOr<EvaluatedValue> Info(const promql::Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue base, evaluator.EvaluateVector(*call.args[0]));
  const InfoSelection selection(call);
  LOCKSTEP_ASSIGN_OR_RETURN(
      const VectorValue info,
      ReadInfoSeries(*call.args[0], selection.MatchersFor(base.series), evaluator));
  InfoJoin join(selection, info, evaluator);
  for (EvaluatedSeries& series : base.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(join.Add(series));
  }
  return EvaluatedValue(join.Take());
}

}  // namespace lockstep::engine
