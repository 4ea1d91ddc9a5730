#include "answers/derived/derived_storage.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/annotation_series.h"
#include "answers/derived/derived_labels.h"
#include "answers/derived/derived_metrics.h"
#include "answers/derived/made_series_set.h"
#include "answers/derived/merged_series_set.h"
#include "answers/derived/reported_mfu.h"
#include "answers/load/job_loader.h"
#include "answers/load/load_context.h"
#include "answers/load/series_roles.h"
#include "base/status.h"
#include "identity/registration.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {
namespace {

// The derived metrics that a selection names, and whether it names only derived metrics.
struct DerivedMatch {
  std::vector<DerivedMetric> metrics = {};
  bool is_derived_alone = false;
};

DerivedMatch MatchDerived(const Selection& selection) {
  for (const Matcher& matcher : selection.matchers) {
    if (matcher.name() != kMetricName) continue;
    if (matcher.type() == MatchType::kEqual) {
      const std::optional<DerivedMetric> metric = DerivedMetricNamed(matcher.value());
      if (!metric.has_value()) return {};
      return {.metrics = {*metric}, .is_derived_alone = true};
    }
    // A query for all names does not intend to compute every answer.
    if (matcher.type() != MatchType::kRegex || !matcher.value().starts_with(kDerivedPrefix))
      continue;
    DerivedMatch match;
    for (const DerivedMetricInfo& info : AllDerivedMetrics()) {
      if (matcher.Matches(info.name)) match.metrics.push_back(info.metric);
    }
    return match;
  }
  return {};
}

// The matchers of `selection`, plus one that excludes stored series with derived names, which are
// computed.
absl::StatusOr<std::vector<Matcher>> StoredAlone(const Selection& selection) {
  std::string names;
  for (const DerivedMetricInfo& info : AllDerivedMetrics()) {
    absl::StrAppendFormat(&names, "%s%s", names.empty() ? "" : "|", info.name);
  }
  std::vector<Matcher> matchers(selection.matchers.begin(), selection.matchers.end());
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher other,
                            Matcher::Make(MatchType::kNotRegex, std::string(kMetricName), names));
  matchers.push_back(std::move(other));
  return matchers;
}

// Drops samples outside `range`.
void CutTo(const TimeRange& range, SampleColumns& samples) {
  const std::vector<int64_t>& times = samples.timestamps_ms;
  if (!times.empty() && range.Contains(times.front()) && range.Contains(times.back())) return;
  SampleColumns kept;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    if (range.Contains(samples.timestamps_ms[i])) {
      kept.Append(samples.timestamps_ms[i], samples.values[i]);
    }
  }
  samples = std::move(kept);
}

class DerivedQuerier : public Querier {
 public:
  // `change_count` is the store's value from before `stored` was created.
  DerivedQuerier(std::unique_ptr<Querier> stored, uint64_t change_count, TaskPool& pool,
                 LiveJobs& live, const annotations::AnnotationStore* annotations)
      : stored_(std::move(stored)),
        change_count_(change_count),
        pool_(pool),
        live_(live),
        annotations_(annotations) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    const DerivedMatch match = MatchDerived(selection);
    if (match.metrics.empty()) return stored_->Select(selection);
    if (match.is_derived_alone && match.metrics.front() == DerivedMetric::kMfu) {
      LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<SeriesSet> reported, ReportedMfu(selection));
      if (reported != nullptr) return reported;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(MadeSeries series, Compute(match.metrics, selection));
    const bool is_empty = series.empty();
    std::unique_ptr<SeriesSet> derived =
        NewMadeSeriesSet(std::make_shared<const MadeSeries>(std::move(series)));
    if (match.is_derived_alone) return derived;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, StoredAlone(selection));
    Selection others = selection;
    others.matchers = matchers;
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<SeriesSet> stored, stored_->Select(others));
    // A merged set cannot be split.
    if (is_empty) return stored;
    return NewMergedSeriesSet(std::move(stored), std::move(derived));
  }

  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
    const DerivedMatch match = MatchDerived(selection);
    if (match.metrics.empty()) return stored_->LabelNames(selection);
    LOCKSTEP_ASSIGN_OR_RETURN(const MadeSeries series,
                              Compute(match.metrics, WithFewSamples(selection)));
    std::vector<std::string> names;
    if (!match.is_derived_alone) {
      LOCKSTEP_ASSIGN_OR_RETURN(names, stored_->LabelNames(selection));
    }
    for (const DerivedSeries& one : series) {
      for (const auto& [name, value] : one.labels) names.emplace_back(name);
    }
    return SortedUnique(std::move(names));
  }

  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override {
    const DerivedMatch match = MatchDerived(selection);
    if (!match.metrics.empty()) {
      LOCKSTEP_ASSIGN_OR_RETURN(const MadeSeries series,
                                Compute(match.metrics, WithFewSamples(selection)));
      std::vector<std::string> values;
      if (!match.is_derived_alone) {
        LOCKSTEP_ASSIGN_OR_RETURN(values, stored_->LabelValues(name, selection));
      }
      for (const DerivedSeries& one : series) {
        if (one.labels.Has(name)) values.emplace_back(one.labels.Get(name));
      }
      return SortedUnique(std::move(values));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> values,
                              stored_->LabelValues(name, selection));
    if (name != kMetricName) return values;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool has_jobs, HasJobs(selection));
    if (!has_jobs) return values;
    for (const DerivedMetricInfo& info : AllDerivedMetrics()) values.emplace_back(info.name);
    return SortedUnique(std::move(values));
  }

 private:
  // The same series, of which only the labels matter.
  static Selection WithFewSamples(Selection selection) {
    selection.needed = SamplesNeeded::kNewest;
    return selection;
  }

  QueryBudget& BudgetOf(const Selection& selection) const {
    return selection.budget == nullptr ? unbounded_ : *selection.budget;
  }

  // Null if the series must be computed from loaded jobs.
  absl::StatusOr<std::unique_ptr<SeriesSet>> ReportedMfu(const Selection& selection) const {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> jobs,
                              JobsWith(DerivedMetric::kMfu, selection));
    return SelectReportedMfu(jobs, selection, {*stored_, pool_, BudgetOf(selection)});
  }

  static std::vector<std::string> SortedUnique(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    texts.erase(std::ranges::unique(texts).begin(), texts.end());
    return texts;
  }

  // Names of all jobs with step numbers, or with devices that name ranks, in the selected time.
  absl::StatusOr<std::vector<std::string>> JobsIn(const Selection& selection) const {
    std::vector<std::string> jobs;
    for (const std::string_view names : {StepNumberNames(), DevicePresenceNames()}) {
      LOCKSTEP_ASSIGN_OR_RETURN(Matcher matcher, RememberedRegexMatcher(kMetricName, names));
      std::vector<Matcher> matchers = {std::move(matcher)};
      if (names == DevicePresenceNames()) {
        LOCKSTEP_ASSIGN_OR_RETURN(Matcher ranked, Matcher::Make(MatchType::kNotEqual, "rank", ""));
        matchers.push_back(std::move(ranked));
      }
      for (const Matcher& matcher : selection.matchers) {
        if (matcher.name() == "job") matchers.push_back(matcher);
      }
      LOCKSTEP_ASSIGN_OR_RETURN(
          const std::vector<std::string> found,
          stored_->LabelValues("job", {matchers, selection.range, selection.budget}));
      jobs.insert(jobs.end(), found.begin(), found.end());
    }
    return SortedUnique(std::move(jobs));
  }

  absl::StatusOr<bool> HasJobs(const Selection& selection) const {
    for (const Matcher& matcher : selection.matchers) {
      if (matcher.name() != "job") return false;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> jobs, JobsIn(selection));
    return !jobs.empty();
  }

  absl::StatusOr<MadeSeries> Compute(std::span<const DerivedMetric> metrics,
                                     const Selection& selection) const {
    QueryBudget& budget = BudgetOf(selection);
    MadeSeries series;
    for (const DerivedMetric metric : metrics) {
      if (IsOfAnnotations(metric)) {
        if (annotations_ == nullptr) continue;
        LOCKSTEP_RETURN_IF_ERROR(AppendAnnotations(*annotations_, selection, budget, series));
        continue;
      }
      if (IsOfJobList(metric)) {
        LOCKSTEP_RETURN_IF_ERROR(ComputeStates(selection, budget, series));
        continue;
      }
      if (IsOfJobs(metric)) {
        LOCKSTEP_RETURN_IF_ERROR(ComputeJobs(metric, selection, budget, series));
        continue;
      }
      LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange time, Bounded(selection.range));
      std::ranges::move(DerivedSeriesOfModels(metric, time), std::back_inserter(series));
    }
    std::erase_if(series, [&](DerivedSeries& one) {
      if (!Matches(one.labels, selection.matchers)) return true;
      CutTo(selection.range, one.samples);
      return one.samples.size() == 0;
    });
    std::ranges::sort(series, {}, &DerivedSeries::labels);
    return series;
  }

  // Series that exist at all times need a bounded range.
  static absl::StatusOr<TimeRange> Bounded(const TimeRange& range) {
    constexpr int64_t kLongestMs = int64_t{400} * 24 * 3600 * 1000;
    const bool is_bounded = range.min_ms > std::numeric_limits<int64_t>::min() / 2 &&
                            range.max_ms < std::numeric_limits<int64_t>::max() / 2;
    if (is_bounded && range.max_ms - range.min_ms <= kLongestMs) return range;
    // Queries for names and labels have no time range.
    constexpr int64_t kMinuteMs = 60'000;
    const int64_t max_ms = is_bounded ? range.max_ms : 0;
    return TimeRange{max_ms - kMinuteMs, max_ms};
  }

  // Jobs that reported steps in the last hour or whose processes report that they are alive: a
  // stalled job reports no steps.
  absl::StatusOr<std::vector<std::string>> JobsBefore(const Selection& selection) const {
    Selection before = selection;
    const int64_t context_ms = ContextMs(DerivedMetric::kJobState);
    if (before.range.min_ms > kAllTimes.min_ms + context_ms) before.range.min_ms -= context_ms;
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> jobs, JobsIn(before));
    std::vector<Matcher> matchers = {
        Matcher::Equal(std::string(kMetricName), std::string(identity::kRankAliveMetric))};
    for (const Matcher& matcher : selection.matchers) {
      if (matcher.name() == "job") matchers.push_back(matcher);
    }
    LOCKSTEP_ASSIGN_OR_RETURN(
        const std::vector<std::string> alive,
        stored_->LabelValues("job", {matchers, selection.range, selection.budget}));
    jobs.insert(jobs.end(), alive.begin(), alive.end());
    return SortedUnique(std::move(jobs));
  }

  // Jobs that may have the metric.
  absl::StatusOr<std::vector<std::string>> JobsWith(DerivedMetric metric,
                                                    const Selection& selection) const {
    if (metric == DerivedMetric::kJobVerdict) return JobsBefore(selection);
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> jobs, JobsIn(selection));
    if (metric != DerivedMetric::kMfu) return jobs;
    return JobsWithOperations(jobs, selection, {*stored_, pool_, BudgetOf(selection)});
  }

  absl::Status ComputeStates(const Selection& selection, QueryBudget& budget,
                             MadeSeries& series) const {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> jobs, JobsBefore(selection));
    LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange time, Bounded(selection.range));
    for (const std::string& name : jobs) {
      const JobListQuery query{name, {kAllTimes.min_ms, time.max_ms}, time.max_ms, time};
      LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<ListedJob> listed,
                                ListJobs(query, {*stored_, pool_, budget}));
      for (const ListedJob& job : listed) {
        LOCKSTEP_RETURN_IF_ERROR(budget.Charge(MostStateSamples(time)));
        std::ranges::move(DerivedSeriesOfState(job, time), std::back_inserter(series));
      }
    }
    return absl::OkStatus();
  }

  // The state of the job at that time; kUnknown if the job is not listed.
  absl::StatusOr<training::JobState> StateOf(const std::string& name, int64_t now_ms,
                                             QueryBudget& budget) const {
    LOCKSTEP_ASSIGN_OR_RETURN(
        const std::vector<ListedJob> listed,
        ListJobs({.name = name, .time = {kAllTimes.min_ms, now_ms}, .now_ms = now_ms},
                 {*stored_, pool_, budget}));
    return listed.empty() ? training::JobState::kUnknown : listed.front().condition.state;
  }

  absl::Status ComputeJobs(DerivedMetric metric, const Selection& selection, QueryBudget& budget,
                           MadeSeries& series) const {
    const bool is_verdict = metric == DerivedMetric::kJobVerdict;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> jobs, JobsWith(metric, selection));
    for (const std::string& name : jobs) {
      std::optional<LiveSeries> live;
      if (IsOfStragglers(metric)) {
        LOCKSTEP_ASSIGN_OR_RETURN(live, AskLive(metric, name, selection.range, budget));
      }
      if (live.has_value() && live->is_enough) {
        Append(std::move(live->series), series);
        continue;
      }
      JobQuery query{.name = name,
                     .time = selection.range,
                     .needs = NeedsOf(metric),
                     .now_ms = selection.range.max_ms};
      const int64_t context_ms = ContextMs(metric);
      if (context_ms == kAllOfItMs) {
        query.time.min_ms = kAllTimes.min_ms;
      } else if (query.time.min_ms > kAllTimes.min_ms + context_ms) {
        query.time.min_ms -= context_ms;
      }
      absl::StatusOr<std::vector<LoadedJob>> attempts =
          LoadAttempts(query, {*stored_, pool_, budget});
      // Devices may name the job in one counter but not in the needed ones.
      if (attempts.status().code() == absl::StatusCode::kNotFound) continue;
      LOCKSTEP_RETURN_IF_ERROR(attempts.status());
      JobEnding ending;
      if (is_verdict) {
        LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange time, Bounded(selection.range));
        ending.now_ms = time.max_ms;
        LOCKSTEP_ASSIGN_OR_RETURN(ending.state, StateOf(name, ending.now_ms, budget));
      }
      for (const LoadedJob& job : *attempts) {
        LOCKSTEP_RETURN_IF_ERROR(budget.Check());
        const bool is_last = &job == &attempts->back();
        Append(is_verdict ? DerivedSeriesOfVerdict(job, is_last ? ending : JobEnding{})
                          : DerivedSeriesOf(metric, job),
               series);
        budget.Release(job.held_samples);
      }
      if (live.has_value()) Replace(name, *std::move(live), series);
    }
    return absl::OkStatus();
  }

  // The series of a job's latest steps.
  struct LiveSeries {
    std::vector<DerivedSeries> series;
    int64_t from_ms = 0;     // when those steps begin
    bool is_enough = false;  // whether they cover the whole range
  };

  // Empty if the live data begin after the end of the range, or if there is no such job then.
  absl::StatusOr<std::optional<LiveSeries>> AskLive(DerivedMetric metric, const std::string& name,
                                                    const TimeRange& range,
                                                    QueryBudget& budget) const {
    std::optional<LiveSeries> live;
    const auto visit = [&](const LoadedJob& job, const training::StragglerAnswer& answer) {
      if (job.steps.size() == 0) return;
      live = {DerivedSeriesOf(metric, job, answer), job.time.min_ms, false};
      const bool has_begun =
          job.steps.step.front() <= job.steps.attempt_first_step &&
          (job.attempt == 0 || job.attempts[job.attempt - 1].time.max_ms < range.min_ms);
      // An instant query asks for the current value and looks back at most this long.
      constexpr int64_t kLookbackMs = 300'000;
      const TimeRange reach = WithinReach(range);
      const bool is_instant = reach.max_ms - reach.min_ms <= kLookbackMs;
      live->is_enough = has_begun || is_instant || job.time.min_ms <= range.min_ms;
    };
    const absl::StatusOr<bool> found =
        live_.Find(name, range.max_ms, change_count_, {*stored_, pool_, budget}, visit);
    if (found.status().code() == absl::StatusCode::kNotFound) return live;
    LOCKSTEP_RETURN_IF_ERROR(found.status());
    return live;
  }

  // Replaces computed samples by live ones from the begin of the live series on.
  static void Replace(const std::string& name, LiveSeries live, MadeSeries& series) {
    for (DerivedSeries& one : series) {
      if (one.labels.Get("job") != name) continue;
      const auto first = std::ranges::lower_bound(one.samples.timestamps_ms, live.from_ms);
      const auto kept = static_cast<size_t>(first - one.samples.timestamps_ms.begin());
      if (kept == one.samples.timestamps_ms.size()) continue;
      one.samples.timestamps_ms.resize(kept);
      one.samples.values.resize(kept);
      one.samples.Append(live.from_ms, StaleNan());
    }
    Append(std::move(live.series), series);
  }

  // A series continues from one attempt to the next.
  static void Append(std::vector<DerivedSeries> more, MadeSeries& series) {
    for (DerivedSeries& one : more) {
      const auto known = std::ranges::find(series, one.labels, &DerivedSeries::labels);
      if (known == series.end()) {
        series.push_back(std::move(one));
        continue;
      }
      SampleColumns& samples = known->samples;
      // Drop the end marker of the previous attempt if the next one began before it.
      while (!samples.timestamps_ms.empty() &&
             samples.timestamps_ms.back() >= one.samples.timestamps_ms.front()) {
        samples.timestamps_ms.pop_back();
        samples.values.pop_back();
      }
      for (size_t i = 0; i < one.samples.values.size(); ++i) {
        samples.Append(one.samples.timestamps_ms[i], one.samples.values[i]);
      }
    }
  }

  const std::unique_ptr<Querier> stored_;
  const uint64_t change_count_;
  TaskPool& pool_;
  LiveJobs& live_;
  const annotations::AnnotationStore* const annotations_;  // may be null
  // For selections without a budget.
  mutable QueryBudget unbounded_{std::numeric_limits<int64_t>::max(),
                                 QueryBudget::Clock::time_point::max()};
};

}  // namespace

void DerivedStorage::Write(WriteRequest request, WriteCallback committed) {
  stored_.Write(std::move(request), std::move(committed));
}

void DerivedStorage::FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const {
  stored_.FindSeries(keys, refs);
}

absl::StatusOr<std::unique_ptr<Querier>> DerivedStorage::NewQuerier() const {
  const uint64_t change_count = stored_.change_count();
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> stored, stored_.NewQuerier());
  return std::make_unique<DerivedQuerier>(std::move(stored), change_count, *pool_, live_,
                                          annotations_);
}

absl::StatusOr<CardinalityStats> DerivedStorage::Cardinality(const CardinalityQuery& query) const {
  return stored_.Cardinality(query);
}

}  // namespace lockstep::answers
