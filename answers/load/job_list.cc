#include "answers/load/job_list.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/attempt_reader.h"
#include "answers/load/fact_reader.h"
#include "answers/load/job_life.h"
#include "answers/load/seated_jobs.h"
#include "answers/load/series_roles.h"
#include "base/status.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {
namespace {

using training::RankPlace;

// A job while its series are being collected.
struct Found {
  std::map<int64_t, RankPlace> places;
  std::map<int64_t, std::string> models;
  NumberingRank numbering_rank;
  bool has_numbers_without_rank = false;
};

class Lister {
 public:
  Lister(const JobListQuery& query, const LoadContext& context)
      : query_(query), context_(context) {}

  absl::StatusOr<std::vector<ListedJob>> List();

 private:
  absl::Status FindJobs();
  void Take(const LabelSet& labels);
  absl::StatusOr<ListedJob> Describe(const std::string& name, Found& found);
  absl::StatusOr<ListedJob> DescribeSeated(identity::JobIdentity identity);
  absl::Status ReadAttempts(const Found& found, ListedJob& job);
  absl::Status ReadDevices(ListedJob& job, std::optional<TimeRange>& seen);
  absl::Status ReadSignals(ListedJob& job);
  absl::Status ReadFacts(ListedJob& job);
  absl::Status ReadNewestSteps(const TimeRange& until, ListedJob& job,
                               std::vector<int64_t>& reporting);
  absl::Status SetState(const std::optional<TimeRange>& devices, ListedJob& job);

  const JobListQuery& query_;
  const LoadContext& context_;
  std::map<std::string, Found> found_;
  std::map<std::string, std::vector<LabelSet>> shared_gpus_;  // by job: series without a rank
};

absl::StatusOr<Matcher> NameMatcher(std::string_view names) {
  return RememberedRegexMatcher(kMetricName, names);
}

void Lister::Take(const LabelSet& labels) {
  const std::string_view job = labels.Get("job");
  const SeriesOrigin origin = OriginOf(labels);
  const bool is_number = StepRoleOf(labels).has_value();
  // The job label of a device is its exporter's, unless its rank in a training job is known.
  if (job.empty()) return;
  if (!is_number && !origin.rank.has_value()) {
    AddSharedGpu(labels, shared_gpus_[std::string(job)]);
    return;
  }
  Found& found = found_[std::string(job)];
  if (!origin.rank.has_value()) {
    found.has_numbers_without_rank = true;
    return;
  }
  const int64_t rank = *origin.rank;
  if (is_number) found.numbering_rank.Learn(rank, origin.attempt);
  LearnPlace(origin, found.places[rank], found.models[rank]);
}

absl::Status Lister::FindJobs() {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, NameMatcher(absl::StrFormat("%s|%s", StepNumberNames(),
                                                                       DevicePresenceNames())));
  std::vector<Matcher> matchers = {std::move(names)};
  if (!query_.name.empty()) matchers.push_back(Matcher::Equal("job", query_.name));
  LOCKSTEP_ASSIGN_OR_RETURN(const auto set,
                            context_.querier.Select({matchers, query_.time, &context_.budget}));
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
    Take(set->labels());
  }
  for (auto& [job, found] : found_) {
    for (auto& [rank, place] : found.places) {
      LearnSharedGpu(shared_gpus_[job], place, found.models[rank]);
    }
  }
  return set->status();
}

absl::Status Lister::ReadAttempts(const Found& found, ListedJob& job) {
  const std::optional<int64_t> numbering = found.numbering_rank.rank();
  if (!numbering.has_value() && !found.has_numbers_without_rank) return absl::OkStatus();
  const std::string rank = numbering.has_value() ? absl::StrFormat("%d", *numbering) : "";
  LOCKSTEP_ASSIGN_OR_RETURN(job.attempts, ReadAttemptSpans(job.job.name, rank, context_));
  return absl::OkStatus();
}

absl::Status Lister::ReadDevices(ListedJob& job, std::optional<TimeRange>& seen) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, NameMatcher(DevicePresenceNames()));
  // The series of a GPU shared by ranks name none of them.
  const std::string rank = absl::StrFormat("%d|", job.job.ranks.front().rank);
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher ranks, Matcher::Make(MatchType::kRegex, "rank", rank));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job.job.name), std::move(names),
                                         std::move(ranks)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context_.querier.Select({matchers, query_.time, &context_.budget, SamplesNeeded::kEnds}));
  SampleColumns samples;
  while (set->Next()) {
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    if (samples.timestamps_ms.empty()) continue;
    const TimeRange time{samples.timestamps_ms.front(), samples.timestamps_ms.back()};
    if (!seen.has_value()) seen = time;
    seen->min_ms = std::min(seen->min_ms, time.min_ms);
    seen->max_ms = std::max(seen->max_ms, time.max_ms);
  }
  return set->status();
}

absl::Status Lister::ReadSignals(ListedJob& job) {
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job.job.name)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<std::string> names,
      context_.querier.LabelValues(kMetricName, {matchers, query_.time, &context_.budget}));
  for (const std::string& name : names) {
    const LabelSet labels = LabelSet::Of({{kMetricName, name}});
    const auto known = RoleOf(labels);
    if (!known.has_value()) continue;
    if (known->role == catalogue::Role::kTrainStep) job.signals.steps = true;
    if (known->role == catalogue::Role::kTrainPhaseSeconds) job.signals.phases = true;
    if (IsDeviceRole(known->role)) job.signals.devices = true;
  }
  return absl::OkStatus();
}

// Reads them from the lowest rank: all ranks report the same.
absl::Status Lister::ReadFacts(ListedJob& job) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, NameMatcher(FactNames()));
  const std::string rank = absl::StrFormat("%d|", job.job.ranks.front().rank);
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher ranks, RememberedRegexMatcher("rank", rank));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job.job.name), std::move(names),
                                         std::move(ranks)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context_.querier.Select({matchers, query_.time, &context_.budget, SamplesNeeded::kNewest}));
  FactReader facts;
  SampleColumns samples;
  while (set->Next()) {
    const auto name = RoleOf(set->labels());
    if (!name.has_value() || !IsFactRole(name->role)) continue;
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    ToRole(*name, samples);
    facts.Add(name->role, samples);
  }
  job.facts = facts.facts();
  return set->status();
}

// The newest steps of all ranks show when the job's last step ended and which ranks should report
// an exit.
absl::Status Lister::ReadNewestSteps(const TimeRange& until, ListedJob& job,
                                     std::vector<int64_t>& reporting) {
  // Ranks that went silent long before the others have lost their sender.
  constexpr int64_t kSilentMs = 60'000;
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, NameMatcher(StepNumberNames()));
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job.job.name), std::move(names)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context_.querier.Select({matchers, until, &context_.budget, SamplesNeeded::kNewest}));
  std::map<int64_t, int64_t> newest_ms;  // by rank
  std::string witness;
  SampleColumns samples;
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    if (samples.values.empty() || !std::isfinite(samples.values.back())) continue;
    const int64_t time_ms = samples.timestamps_ms.back();
    if (time_ms > job.signs.last_step_end_ms.value_or(time_ms - 1)) {
      job.signs.last_step_end_ms = time_ms;
      job.signs.last_step = std::llround(samples.values.back());
      witness = set->labels().Get("rank");
    }
    int64_t& rank_ms =
        newest_ms.try_emplace(OriginOf(set->labels()).rank.value_or(0), time_ms).first->second;
    rank_ms = std::max(rank_ms, time_ms);
  }
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  for (const auto& [rank, time_ms] : newest_ms) {
    if (time_ms >= *job.signs.last_step_end_ms - kSilentMs) reporting.push_back(rank);
  }
  if (!query_.past.has_value() || newest_ms.empty()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(job.past, ReadStepMarks(job.job.name, witness, *query_.past, context_));
  return absl::OkStatus();
}

absl::Status Lister::SetState(const std::optional<TimeRange>& devices, ListedJob& job) {
  if (devices.has_value()) {
    job.time = *devices;
    job.signs.last_device_sample_ms = devices->max_ms;
  }
  if (!job.attempts.empty()) {
    const AttemptSpan& first = job.attempts.front();
    const AttemptSpan& last = job.attempts.back();
    job.time.min_ms =
        devices.has_value() ? std::min(job.time.min_ms, first.time.min_ms) : first.time.min_ms;
    job.time.max_ms =
        devices.has_value() ? std::max(job.time.max_ms, last.time.max_ms) : last.time.max_ms;
    const auto steps = static_cast<double>(last.last_step - last.first_step);
    if (steps > 0) {
      job.signs.usual_step_seconds =
          static_cast<double>(last.time.max_ms - last.time.min_ms) / 1000.0 / steps;
    }
  }
  const TimeRange until{kAllTimes.min_ms, std::min(query_.time.max_ms, query_.now_ms)};
  job.signs.now_ms = query_.now_ms;
  job.signs.planned_steps = job.facts.planned_steps;
  std::vector<int64_t> reporting;
  LOCKSTEP_RETURN_IF_ERROR(ReadNewestSteps(until, job, reporting));
  LOCKSTEP_ASSIGN_OR_RETURN(const JobLife life, ReadJobLife(job.job.name, until, context_));
  SetSigns(life, reporting, job.signs);
  job.condition = training::ConditionOf(job.signs);
  return absl::OkStatus();
}

absl::StatusOr<ListedJob> Lister::Describe(const std::string& name, Found& found) {
  ListedJob job;
  job.job.name = name;
  if (found.places.empty()) found.places[0] = {};
  for (auto& [rank, place] : found.places) {
    job.gpu_models.push_back(found.models[rank]);
    job.job.ranks.push_back(std::move(place));
  }
  std::optional<TimeRange> devices;
  LOCKSTEP_RETURN_IF_ERROR(ReadAttempts(found, job));
  LOCKSTEP_RETURN_IF_ERROR(ReadDevices(job, devices));
  LOCKSTEP_RETURN_IF_ERROR(ReadSignals(job));
  LOCKSTEP_RETURN_IF_ERROR(ReadFacts(job));
  LOCKSTEP_RETURN_IF_ERROR(SetState(devices, job));
  job.job.begin_ms = job.time.min_ms;
  job.world_size = std::max<int64_t>(job.facts.world_size, job.job.ranks.back().rank + 1);
  job.warnings = training::CheckJob(job.job, job.facts.world_size, job.facts.parallelism);
  training::SetStages(job.facts.parallelism, job.job);
  return job;
}

// Describes a job that is known only by its placement.
absl::StatusOr<ListedJob> Lister::DescribeSeated(identity::JobIdentity identity) {
  ListedJob listed;
  listed.job.name = std::move(identity.job);
  std::optional<TimeRange> seen;
  std::map<int64_t, RankPlace> places;
  std::map<int64_t, std::string> models;
  for (const identity::Placement& placement : identity.placements) {
    LearnPlace({.rank = placement.rank,
                .attempt = {},
                .host = placement.seat.host,
                .gpu = placement.seat.gpu,
                .gpu_uuid = placement.seat.uuid,
                .gpu_model = placement.seat.model},
               places[placement.rank], models[placement.rank]);
    // A registration without an end is assumed to last until now.
    const TimeRange time{placement.time.min_ms, std::min(placement.time.max_ms, query_.now_ms)};
    if (!seen.has_value()) seen = time;
    seen->min_ms = std::min(seen->min_ms, time.min_ms);
    seen->max_ms = std::max(seen->max_ms, time.max_ms);
  }
  for (auto& [rank, place] : places) {
    listed.gpu_models.push_back(std::move(models[rank]));
    listed.job.ranks.push_back(std::move(place));
  }
  listed.signals.devices = std::ranges::any_of(
      identity.placements,
      [](const identity::Placement& placement) { return !placement.device_matchers.empty(); });
  LOCKSTEP_RETURN_IF_ERROR(SetState(seen, listed));
  listed.job.begin_ms = listed.time.min_ms;
  listed.world_size = identity.world_size.value_or(listed.job.ranks.back().rank + 1);
  listed.warnings = std::move(identity.warnings);
  return listed;
}

absl::StatusOr<std::vector<ListedJob>> Lister::List() {
  LOCKSTEP_RETURN_IF_ERROR(FindJobs());
  std::vector<ListedJob> jobs;
  std::set<std::string, std::less<>> known;
  for (auto& [name, found] : found_) {
    LOCKSTEP_ASSIGN_OR_RETURN(ListedJob job, Describe(name, found));
    jobs.push_back(std::move(job));
    known.insert(name);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<identity::JobIdentity> seated,
                            ReadSeatedJobs(query_.name, query_.time, known, context_));
  for (identity::JobIdentity& identity : seated) {
    LOCKSTEP_ASSIGN_OR_RETURN(ListedJob job, DescribeSeated(std::move(identity)));
    jobs.push_back(std::move(job));
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const ListedJob& a, const ListedJob& b) {
    return a.time.max_ms > b.time.max_ms;
  });
  return jobs;
}

}  // namespace

training::JobCondition ConditionAt(const ListedJob& job, int64_t time_ms) {
  training::JobSigns signs = job.signs;
  signs.now_ms = time_ms;
  const auto drop_later = [time_ms](std::optional<int64_t>& sign_ms) {
    if (sign_ms.has_value() && *sign_ms > time_ms) sign_ms.reset();
  };
  drop_later(signs.exit_ms);
  drop_later(signs.begin_ms);
  for (std::optional<int64_t>* there_ms : {&signs.alive_ms, &signs.last_device_sample_ms}) {
    if (there_ms->has_value()) **there_ms = std::min(**there_ms, time_ms);
  }
  if (signs.last_step_end_ms.has_value() && *signs.last_step_end_ms > time_ms) {
    const auto after = std::ranges::upper_bound(job.past, time_ms, {}, &StepMark::time_ms);
    if (after == job.past.begin()) return {};
    signs.last_step_end_ms = std::prev(after)->time_ms;
    signs.last_step = std::prev(after)->step;
  }
  return training::ConditionOf(signs);
}

absl::StatusOr<std::vector<ListedJob>> ListJobs(const JobListQuery& query,
                                                const LoadContext& context) {
  return Lister(query, context).List();
}

}  // namespace lockstep::answers
