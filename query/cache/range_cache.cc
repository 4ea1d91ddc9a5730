#include "query/cache/range_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "query/cache/step_reach.h"
#include "query/engine/context/histogram_stats.h"
#include "query/engine/selectors/series_reader.h"
#include "storage/storage.h"

namespace lockstep::cache {
namespace {

using engine::MatrixResult;
using engine::MatrixSeries;
using engine::QueryResult;
using engine::RangeQuery;

int64_t Modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

// The steps of the query up to `end_ms`.
StepSpan StepsUpTo(const RangeQuery& query, int64_t end_ms) {
  if (end_ms < query.start_ms) return {};
  return {query.start_ms, end_ms - Modulo(end_ms - query.start_ms, query.step_ms)};
}

// The reach of a query's steps, or nullopt if the query cannot be cached.
std::optional<StepReach> ReachOfQuery(const promql::Expr& expr, int64_t lookback_ms) {
  // Their result for a sample depends on earlier ones, however old.
  if (!engine::FindHistogramStatsSelectors(expr).empty()) return std::nullopt;
  return cache::ReachOf(expr, lookback_ms);
}

// The first steps of the query, as far as their values are kept and have not changed.
StepSpan KnownSteps(const RangeQuery& query, const KeptSteps& kept, StepReach reach,
                    TimeRange unchanged) {
  if (query.start_ms < kept.start_ms) return {};
  if (query.start_ms - reach.before_ms < unchanged.min_ms) return {};
  int64_t end_ms = std::min(kept.end_ms, query.end_ms);
  // Compute the difference on the side that cannot overflow.
  if (end_ms + reach.after_ms > unchanged.max_ms) end_ms = unchanged.max_ms - reach.after_ms;
  return StepsUpTo(query, end_ms);
}

// The samples of these steps, without empty series.
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

// Joins two matrices that are sorted by labels; the steps of the second come after those of the
// first.
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

// Whether the whole query must be evaluated because the caller inspects the evaluation itself.
bool IsLookedAt(const engine::QueryOptions& options) {
  return options.fresh || options.counts_per_step || options.plan;
}

}  // namespace

absl::StatusOr<QueryResult> RangeCache::Execute(const RangeQuery& query, QueryBudget& budget) {
  const int64_t lookback_ms = query.lookback_ms != 0 ? query.lookback_ms : engine_.lookback_ms();
  const bool may_know = is_on_ && query.step_ms > 0 && !IsLookedAt(query.options);
  if (!may_know) return engine_.Execute(query, budget);
  LOCKSTEP_ASSIGN_OR_RETURN(const engine::ParsedQuery parsed, engine_.Parse(query, budget));
  const std::optional<StepReach> reach = ReachOfQuery(*parsed.expr, lookback_ms);
  if (!reach.has_value()) return engine_.Execute(query, parsed, budget);

  const StepKey key{view_,
                    std::string(query.text),
                    query.step_ms,
                    Modulo(query.start_ms, query.step_ms),
                    lookback_ms,
                    query.reductions,
                    query.resolution_ms};
  // Read this first: any later change invalidates what is stored now.
  const uint64_t change_count = storage_.change_count();
  const std::shared_ptr<const KeptSteps> kept = steps_->Find(key);
  const auto known_now = [&] {
    if (kept == nullptr) return StepSpan();
    return KnownSteps(query, *kept, *reach, storage_.UnchangedSince(kept->change_count));
  };
  const StepSpan known = known_now();
  Count(known, query.step_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(QueryResult result, Complete(query, parsed, known, kept.get(), budget));
  // All steps must reflect one moment: the one at which the new steps were evaluated.
  if (!known.empty() && known_now().end_ms < known.end_ms) {
    return engine_.Execute(query, parsed, budget);
  }
  const StepSpan all = StepsUpTo(query, query.end_ms);
  const bool is_new = known.empty() || known.end_ms < all.end_ms;
  const bool is_silent = result.annotations.warnings.empty() && result.annotations.infos.empty();
  if (is_new && is_silent && !all.empty()) {
    steps_->Put(key,
                {all.start_ms, all.end_ms, change_count, std::get<MatrixResult>(result.value)});
  }
  return result;
}

absl::StatusOr<QueryResult> RangeCache::Complete(const RangeQuery& query,
                                                 const engine::ParsedQuery& parsed, StepSpan known,
                                                 const KeptSteps* kept, QueryBudget& budget) const {
  if (known.empty()) return engine_.Execute(query, parsed, budget);
  MatrixResult value = Cut(kept->value, known);
  const int64_t known_size = BudgetSize(value);
  LOCKSTEP_RETURN_IF_ERROR(budget.Charge(known_size));
  RangeQuery rest = query;
  rest.start_ms = known.end_ms + query.step_ms;
  absl::StatusOr<QueryResult> result = QueryResult();
  if (rest.start_ms <= rest.end_ms) result = engine_.Execute(rest, parsed, budget);
  // Like the engine, stop charging for the result.
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
