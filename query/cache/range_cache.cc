#include "query/cache/range_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "query/cache/step_reach.h"
#include "query/engine/histogram_stats.h"
#include "query/engine/series_reader.h"
#include "query/promql/parser.h"

namespace lockstep::cache {
namespace {

using engine::MatrixResult;
using engine::MatrixSeries;
using engine::QueryResult;
using engine::RangeQuery;

int64_t Modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

// The steps of the query up to a time.
StepSpan StepsUpTo(const RangeQuery& query, int64_t end_ms) {
  if (end_ms < query.start_ms) return {};
  return {query.start_ms, end_ms - Modulo(end_ms - query.start_ms, query.step_ms)};
}

// What the cache may know of a query, if anything.
std::optional<StepReach> ReachOfQuery(const RangeQuery& query, int64_t lookback_ms,
                                      const QueryBudget& budget) {
  const absl::StatusOr<promql::ExprPtr> expr = promql::ParseExpr(query.text, &budget);
  if (!expr.ok()) return std::nullopt;
  // What they make of a sample depends on the ones before, however old.
  if (!engine::FindHistogramStatsSelectors(**expr).empty()) return std::nullopt;
  return cache::ReachOf(**expr, lookback_ms);
}

// Of the query's first steps those whose values are kept and have not changed.
StepSpan KnownSteps(const RangeQuery& query, const KeptSteps& kept, StepReach reach,
                    TimeRange unchanged) {
  if (query.start_ms < kept.start_ms) return {};
  if (query.start_ms - reach.before_ms < unchanged.min_ms) return {};
  int64_t end_ms = std::min(kept.end_ms, query.end_ms);
  // As a difference of what is known: the other one may be beyond 64 bits.
  if (end_ms + reach.after_ms > unchanged.max_ms) end_ms = unchanged.max_ms - reach.after_ms;
  return StepsUpTo(query, end_ms);
}

// The samples of these steps. Empty series are left out.
MatrixResult Cut(const MatrixResult& matrix, StepSpan steps) {
  MatrixResult cut;
  for (const MatrixSeries& series : matrix) {
    MatrixSeries part{series.labels, {}};
    const SampleColumns& from = series.samples;
    const auto first = std::ranges::lower_bound(from.timestamps_ms, steps.start_ms);
    const auto last = std::ranges::upper_bound(from.timestamps_ms, steps.end_ms);
    part.samples.timestamps_ms.assign(first, last);
    part.samples.values.assign(from.values.begin() + (first - from.timestamps_ms.begin()),
                               from.values.begin() + (last - from.timestamps_ms.begin()));
    for (const HistogramSample& sample : from.histograms) {
      const int64_t time_ms = sample.timestamp_ms;
      if (steps.start_ms <= time_ms && time_ms <= steps.end_ms) {
        part.samples.histograms.push_back(sample);
      }
    }
    if (part.samples.size() > 0) cut.push_back(std::move(part));
  }
  return cut;
}

void Append(SampleColumns& to, const SampleColumns& later) {
  to.timestamps_ms.insert(to.timestamps_ms.end(), later.timestamps_ms.begin(),
                          later.timestamps_ms.end());
  to.values.insert(to.values.end(), later.values.begin(), later.values.end());
  to.histograms.insert(to.histograms.end(), later.histograms.begin(), later.histograms.end());
}

// Both sorted by labels, the steps of the second behind those of the first.
MatrixResult Join(MatrixResult first, MatrixResult second) {
  MatrixResult joined;
  joined.reserve(std::max(first.size(), second.size()));
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() || b != second.end()) {
    if (b == second.end() || (a != first.end() && a->labels < b->labels)) {
      joined.push_back(std::move(*a++));
    } else if (a == first.end() || b->labels < a->labels) {
      joined.push_back(std::move(*b++));
    } else {
      joined.push_back(std::move(*a++));
      Append(joined.back().samples, (b++)->samples);
    }
  }
  return joined;
}

int64_t BudgetSize(const MatrixResult& matrix) {
  int64_t size = 0;
  for (const MatrixSeries& series : matrix) size += engine::BudgetSize(series.samples);
  return size;
}

// Whether all of the query is to be evaluated, because the evaluation itself is looked at.
bool IsLookedAt(const engine::QueryWishes& wishes) {
  return wishes.fresh || wishes.counts_per_step || wishes.plan;
}

}  // namespace

absl::StatusOr<QueryResult> RangeCache::Execute(const RangeQuery& query, QueryBudget& budget) {
  const int64_t lookback_ms = query.lookback_ms != 0 ? query.lookback_ms : engine_.lookback_ms();
  const bool may_know = is_on_ && query.step_ms > 0 && !IsLookedAt(query.wishes);
  const std::optional<StepReach> reach =
      may_know ? ReachOfQuery(query, lookback_ms, budget) : std::nullopt;
  if (!reach.has_value()) return engine_.Execute(query, budget);

  const StepKey key{view_, std::string(query.text), query.step_ms,
                    Modulo(query.start_ms, query.step_ms), lookback_ms};
  // First: what changes from now on changes what is kept now.
  const uint64_t change_count = storage_.change_count();
  const std::shared_ptr<const KeptSteps> kept = steps_->Find(key);
  const auto known_now = [&] {
    if (kept == nullptr) return StepSpan();
    return KnownSteps(query, *kept, *reach, storage_.UnchangedSince(kept->change_count));
  };
  const StepSpan known = known_now();
  Count(known, query.step_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(QueryResult result, Complete(query, known, kept.get(), budget));
  // All steps are to be of one moment: that at which the new ones were evaluated.
  if (!known.empty() && known_now().end_ms < known.end_ms) return engine_.Execute(query, budget);
  const StepSpan all = StepsUpTo(query, query.end_ms);
  const bool is_new = known.empty() || known.end_ms < all.end_ms;
  const bool is_silent = result.annotations.warnings.empty() && result.annotations.infos.empty();
  if (is_new && is_silent && !all.empty()) {
    steps_->Put(key,
                {all.start_ms, all.end_ms, change_count, std::get<MatrixResult>(result.value)});
  }
  return result;
}

absl::StatusOr<QueryResult> RangeCache::Complete(const RangeQuery& query, StepSpan known,
                                                 const KeptSteps* kept, QueryBudget& budget) const {
  if (known.empty()) return engine_.Execute(query, budget);
  MatrixResult value = Cut(kept->value, known);
  const int64_t known_size = BudgetSize(value);
  LOCKSTEP_RETURN_IF_ERROR(budget.Charge(known_size));
  RangeQuery rest = query;
  rest.start_ms = known.end_ms + query.step_ms;
  absl::StatusOr<QueryResult> result = QueryResult();
  if (rest.start_ms <= rest.end_ms) result = engine_.Execute(rest, budget);
  // As the engine does with its result: what is answered is no longer charged.
  budget.Release(known_size);
  if (!result.ok()) return result;
  if (auto* const evaluated = std::get_if<MatrixResult>(&result->value)) {
    value = Join(std::move(value), std::move(*evaluated));
  }
  result->value = std::move(value);
  return result;
}

void RangeCache::Count(StepSpan known, int64_t step_ms) {
  if (known.empty()) {
    ++miss_count_;
    return;
  }
  ++hit_count_;
  known_step_count_ += static_cast<uint64_t>((known.end_ms - known.start_ms) / step_ms) + 1;
}

RangeCacheStats RangeCache::stats() const {
  return {hit_count_, miss_count_, known_step_count_, steps_->stats()};
}

}  // namespace lockstep::cache
