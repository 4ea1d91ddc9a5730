#include "query/engine/functions/function_eval.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/regex/regex.h"
#include "base/string_map.h"
#include "model/matcher.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/selectors/duration_eval.h"
#include "query/engine/selectors/selector_eval.h"
#include "query/engine/values/evaluated.h"
#include "query/engine/values/metric_labels.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

// The parsed second argument of info(). Immutable.
class InfoSelection {
 public:
  // Without a second argument, selects target_info with all its labels.
  explicit InfoSelection(const promql::Call& call);

  // Whether series of that name are info series.
  bool IsInfoMetric(std::string_view metric_name) const;
  // Whether to add label `name` of info series.
  bool Adds(std::string_view name) const {
    return data_labels_.empty() || data_labels_.contains(name);
  }
  // Whether elements without info series are kept unchanged rather than dropped.
  bool KeepsUnmatched() const { return keeps_unmatched_; }
  // Matchers for the info series that may match any of `base`; empty if there can be none.
  std::vector<Matcher> MatchersFor(const std::vector<EvaluatedSeries>& base) const;

 private:
  std::vector<Matcher> name_matchers_;
  std::vector<Matcher> data_matchers_;
  StringSet data_labels_;
  bool keeps_unmatched_ = true;
};

constexpr std::string_view kIdentifyingLabels[] = {"instance", "job"};

Matcher RegexMatcher(std::string_view name, std::string pattern) {
  auto matcher = Matcher::Make(MatchType::kRegex, std::string(name), std::move(pattern));
  LOCKSTEP_CHECK(matcher.ok());
  return *std::move(matcher);
}

bool IsNegative(const Matcher& matcher) {
  return matcher.type() == MatchType::kNotEqual || matcher.type() == MatchType::kNotRegex;
}

// Adds one matcher for all values of the label among series that are not info series.
void AddIdentityMatcher(std::string_view label, const std::vector<EvaluatedSeries>& base,
                        const InfoSelection& selection, std::vector<Matcher>& matchers) {
  std::set<std::string_view> values;
  for (const EvaluatedSeries& series : base) {
    if (selection.IsInfoMetric(series.labels.metric_name())) continue;
    const std::string_view value = series.labels.Get(label);
    if (!value.empty()) values.insert(value);
  }
  if (values.empty()) return;
  std::string pattern;
  for (const std::string_view value : values) {
    if (!pattern.empty()) pattern += '|';
    pattern += Regex::Escape(value);
  }
  matchers.push_back(RegexMatcher(label, std::move(pattern)));
}

InfoSelection::InfoSelection(const promql::Call& call) {
  if (call.args.size() > 1) {
    const promql::Expr& argument = WithoutParens(*call.args[1]);
    for (const Matcher& matcher : promql::As<promql::VectorSelector>(argument).matchers) {
      if (matcher.name() == kMetricName) {
        name_matchers_.push_back(matcher);
      } else {
        data_matchers_.push_back(matcher);
        data_labels_.insert(matcher.name());
        keeps_unmatched_ = keeps_unmatched_ && matcher.MatchesEmpty();
      }
    }
  }
  if (name_matchers_.empty()) {
    name_matchers_.push_back(Matcher::Equal(std::string(kMetricName), "target_info"));
  } else if (std::all_of(name_matchers_.begin(), name_matchers_.end(), IsNegative)) {
    name_matchers_.push_back(RegexMatcher(kMetricName, ".+_info"));
  }
}

bool InfoSelection::IsInfoMetric(std::string_view metric_name) const {
  return std::all_of(name_matchers_.begin(), name_matchers_.end(),
                     [&](const Matcher& matcher) { return matcher.Matches(metric_name); });
}

std::vector<Matcher> InfoSelection::MatchersFor(const std::vector<EvaluatedSeries>& base) const {
  std::vector<Matcher> matchers;
  for (const std::string_view label : kIdentifyingLabels) {
    AddIdentityMatcher(label, base, *this, matchers);
  }
  if (matchers.empty()) return matchers;
  matchers.insert(matchers.end(), name_matchers_.begin(), name_matchers_.end());
  matchers.insert(matchers.end(), data_matchers_.begin(), data_matchers_.end());
  return matchers;
}

// The labels on which series and info series are matched.
LabelSet IdentifyingLabels(const LabelSet& labels) {
  return labels.Keep({std::string(kIdentifyingLabels[0]), std::string(kIdentifyingLabels[1])});
}

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

// The times of the leftmost selector of `expr` when `expr` is evaluated at `times`. Its `offset`
// and `@`, and those of the subqueries around it, also apply to the info series. Empty without a
// selector.
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

// The info series at every step; each float is the time of its sample.
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

// Info series by identifying labels; series of one metric are adjacent.
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
    // The info series of an element rarely change from step to step.
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

  // Chooses, for each info metric, the series with the newest sample at `step`.
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
