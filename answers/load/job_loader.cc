#include "answers/load/job_loader.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/load/attempt_reader.h"
#include "answers/load/device_columns.h"
#include "answers/load/fact_reader.h"
#include "answers/load/job_life.h"
#include "answers/load/known_ranks.h"
#include "answers/load/link_reader.h"
#include "answers/load/series_parts.h"
#include "answers/load/series_roles.h"
#include "answers/load/step_columns.h"
#include "base/status.h"
#include "identity/regex_text.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"
#include "training/job/step_window.h"

namespace lockstep::answers {
namespace {

using catalogue::NameRole;
using catalogue::Role;

// If a device reports for longer than this after the last step, the job still holds it but steps no
// longer end.
constexpr int64_t kStillHeldMs = 60'000;

// The time up to the query's `now_ms` or its end.
TimeRange PastOf(const JobQuery& query) {
  return {query.time.min_ms, std::min(query.time.max_ms, query.now_ms.value_or(query.time.max_ms))};
}

class Loader {
 public:
  Loader(const JobQuery& query, const LoadContext& context) : query_(query), context_(context) {}

  absl::StatusOr<LoadedJob> Load();
  absl::StatusOr<JobTail> LoadTail(const LoadedJob& before);
  absl::Status LoadDevices(LoadedJob& job);

 private:
  absl::Status FindJob();
  absl::Status FindAttempts();
  absl::Status ChooseAttempt();
  absl::Status NarrowToLiveSteps();
  absl::Status ReadMarks(StepColumns& steps);
  bool IsOfAnotherAttempt(const SeriesOrigin& origin) const;
  std::vector<int64_t> ExitTimes() const;
  bool BeginsSomethingElse(const SeriesOrigin& origin) const;
  void SetRunning(std::span<const int64_t> reporting, int64_t first_step, int64_t first_ms);
  absl::Status ReadValues(StepColumns& steps, DeviceColumns& devices);
  absl::Status ReadSteps(SeriesSet& series, const NameRole& name, size_t row,
                         SampleColumns& samples, StepColumns& steps);
  absl::Status ReadDevice(SeriesSet& series, std::span<const size_t> rows, SampleColumns& samples,
                          DeviceColumns& devices);
  absl::Status ReadPlacedDevices(DeviceColumns& devices);
  absl::Status ReadCharged(SeriesSet& series, SampleColumns& samples);
  absl::StatusOr<std::vector<Matcher>> StepNumbers() const;
  absl::StatusOr<std::vector<Matcher>> NeededSeries() const;
  bool IsNeeded(Role role) const;
  void SetTimes(const DeviceColumns& devices);

  const JobQuery& query_;
  const LoadContext& context_;
  std::shared_ptr<const KnownRanks> known_;
  TimeRange range_;  // to read
  FactReader facts_;
  JobLife life_;
  std::atomic<int64_t> held_samples_{0};
  LoadedJob job_;
  const LoadedJob* before_ = nullptr;  // only for a tail
  std::atomic<bool> is_other_{false};  // only for a tail
};

absl::Status Loader::FindJob() {
  LOCKSTEP_ASSIGN_OR_RETURN(KnownRanks known, FindRanks(query_.name, query_.time, context_));
  known_ = job_.known = std::make_shared<const KnownRanks>(std::move(known));
  job_.job.ranks = known_->places;
  job_.gpu_models = known_->gpu_models;
  return absl::OkStatus();
}

// Reads device series that do not name the job, for ranks without series that do.
absl::Status Loader::ReadPlacedDevices(DeviceColumns& devices) {
  if (query_.needs.devices.none()) return absl::OkStatus();
  std::vector<bool> is_labelled(job_.job.ranks.size());
  for (size_t row = 0; row < is_labelled.size(); ++row) is_labelled[row] = devices.HasAny(row);
  for (const identity::Placement& placement : known_->placements) {
    const std::optional<size_t> row = known_->RowOf(placement.rank);
    if (!row.has_value() || is_labelled[*row]) continue;
    const TimeRange range{std::max(range_.min_ms, placement.time.min_ms),
                          std::min(range_.max_ms, placement.time.max_ms)};
    if (range.min_ms > range.max_ms) continue;
    for (const std::vector<Matcher>& matchers : placement.device_matchers) {
      LOCKSTEP_RETURN_IF_ERROR(
          ForEachSeries({matchers, range, &context_.budget}, context_,
                        [&](SeriesSet& series, SampleColumns& samples) {
                          return ReadDevice(series, {&*row, 1}, samples, devices);
                        }));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Matcher>> Loader::StepNumbers() const {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, StepNumberNames()));
  return std::vector<Matcher>{Matcher::Equal("job", query_.name), std::move(names)};
}

absl::Status Loader::FindAttempts() {
  if (!known_->numbering_rank.has_value()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(job_.attempts,
                            ReadAttemptSpans(query_.name, *known_->numbering_rank, context_));
  return absl::OkStatus();
}

// Ranks do not begin and end at the same moment, so an attempt extends halfway to its neighbours.
absl::Status Loader::ChooseAttempt() {
  const std::vector<AttemptSpan>& all = job_.attempts;
  range_ = query_.time;
  if (query_.attempt.has_value() && *query_.attempt >= std::max<size_t>(all.size(), 1)) {
    return absl::NotFoundError(
        absl::StrFormat("job \"%s\" has %d attempts, numbered from 0", query_.name, all.size()));
  }
  if (all.empty()) return absl::OkStatus();
  size_t chosen = query_.attempt.value_or(all.size() - 1);
  if (!query_.attempt.has_value()) {
    while (chosen > 0 && all[chosen].time.min_ms > query_.time.max_ms) --chosen;
  }
  if (chosen > 0) {
    const int64_t before_ms = all[chosen - 1].time.max_ms;
    range_.min_ms =
        std::max(range_.min_ms, before_ms + (all[chosen].time.min_ms - before_ms) / 2 + 1);
  }
  if (chosen + 1 < all.size()) {
    const int64_t end_ms = all[chosen].time.max_ms;
    range_.max_ms = std::min(range_.max_ms, end_ms + (all[chosen + 1].time.min_ms - end_ms) / 2);
  }
  job_.attempt = chosen;
  return absl::OkStatus();
}

// Limits reading to the first live step, as reported by one up-to-date rank. Reads one more stride
// of steps, because clocks differ and some ranks are behind.
absl::Status Loader::NarrowToLiveSteps() {
  constexpr int64_t kClocksDifferMs = 10'000;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<NewestStep> newest,
                            ReadNewestStep(query_.name, range_, context_));
  if (!newest.has_value()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<StepMark> marks,
                            ReadStepMarks(query_.name, newest->rank_label, range_, context_));
  const int64_t first = training::FirstLiveStep(newest->step, job_.job.ranks.size());
  for (const StepMark& mark : marks) {
    if (mark.step >= first - (newest->step - first) / 4) break;
    range_.min_ms = std::max(range_.min_ms, mark.time_ms - kClocksDifferMs);
  }
  return absl::OkStatus();
}

absl::Status Loader::ReadCharged(SeriesSet& series, SampleColumns& samples) {
  samples.Clear();
  LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
  const auto count = static_cast<int64_t>(samples.size());
  LOCKSTEP_RETURN_IF_ERROR(context_.budget.Charge(count));
  held_samples_ += count;
  return absl::OkStatus();
}

// Ranks begin and end an attempt at different times, so an attempt label is more reliable than the
// time.
bool Loader::IsOfAnotherAttempt(const SeriesOrigin& origin) const {
  if (!origin.attempt.has_value() || job_.attempts.empty()) return false;
  const std::optional<int64_t> own = job_.attempts[job_.attempt].label;
  if (!own.has_value() || origin.attempt == own) return false;
  return std::ranges::any_of(job_.attempts, [&origin](const AttemptSpan& attempt) {
    return attempt.label == origin.attempt;
  });
}

// When each row's process exited; empty if steps beyond the frontier are needed.
std::vector<int64_t> Loader::ExitTimes() const {
  std::vector<int64_t> exit_ms;
  if (query_.needs.beyond_frontier) return exit_ms;
  for (const training::RankPlace& place : job_.job.ranks) {
    exit_ms.push_back(life_.ExitMs(place.rank).value_or(StepColumns::kNoExit));
  }
  return exit_ms;
}

absl::Status Loader::ReadMarks(StepColumns& steps) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, StepNumbers());
  const auto visit = [&](SeriesSet& series, SampleColumns& samples) -> absl::Status {
    const SeriesOrigin origin = OriginOf(series.labels());
    const std::optional<size_t> row = known_->RowOf(origin);
    if (before_ != nullptr && BeginsSomethingElse(origin)) is_other_ = true;
    if (!row.has_value() || IsOfAnotherAttempt(origin)) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
    steps.AddMarks(*row, samples);
    return absl::OkStatus();
  };
  return ForEachSeries({matchers, range_, &context_.budget}, context_, visit);
}

bool Loader::IsNeeded(Role role) const {
  if (IsDeviceRole(role)) return query_.needs.devices.test(static_cast<size_t>(role));
  switch (role) {
    case Role::kTrainStep:
      return false;
    case Role::kTrainPhaseSeconds:
    case Role::kTrainOwnSeconds:
      return query_.needs.phases;
    case Role::kTrainLoss:
    case Role::kTrainGradNorm:
      return query_.needs.loss;
    case Role::kGpuTorchMemoryAllocatedBytes:
      return query_.needs.memory;
    case Role::kTrainModelFlops:
    case Role::kTrainFlopsPerSecondPerGpu:
    case Role::kTrainTokens:
      return query_.needs.operations;
    default:
      return query_.needs.steps;
  }
}

absl::Status Loader::ReadSteps(SeriesSet& series, const NameRole& name, size_t row,
                               SampleColumns& samples, StepColumns& steps) {
  if (IsFactRole(name.role)) {
    // All ranks report the same.
    if (row != 0) return absl::OkStatus();
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
    ToRole(name, samples);
    facts_.Add(name.role, samples);
    return absl::OkStatus();
  }
  LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
  ToRole(name, samples);
  steps.Add(name, row, samples);
  return absl::OkStatus();
}

absl::Status Loader::ReadDevice(SeriesSet& series, std::span<const size_t> rows,
                                SampleColumns& samples, DeviceColumns& devices) {
  const std::optional<NameRole> name = DeviceRoleOf(series.labels());
  if (!name.has_value() || !IsNeeded(name->role)) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
  ToRole(*name, samples);
  for (const size_t row : rows) {
    devices.Add(name->role, row, OriginOf(series.labels()).gpu_model, samples);
  }
  return absl::OkStatus();
}

// Matchers for the job's series, except those whose names show that they are not needed: a large
// job has ten times as many.
absl::StatusOr<std::vector<Matcher>> Loader::NeededSeries() const {
  std::vector<Matcher> matchers = {Matcher::Equal("job", query_.name)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<std::string> names,
      context_.querier.LabelValues(kMetricName, {matchers, range_, &context_.budget}));
  std::string needed;
  for (const std::string& name : names) {
    const LabelSet labels = LabelSet::Of({{kMetricName, name}});
    const std::optional<NameRole> known = RoleOf(labels);
    // For some names, the labels determine the meaning.
    const bool is_known =
        known.has_value() && (IsStepRole(known->role) || IsDeviceRole(known->role));
    if (is_known && !IsNeeded(known->role)) continue;
    absl::StrAppendFormat(&needed, "%s%s", needed.empty() ? "" : "|", identity::EscapeRegex(name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher matcher, RememberedRegexMatcher(kMetricName, needed));
  matchers.push_back(std::move(matcher));
  return matchers;
}

absl::Status Loader::ReadValues(StepColumns& steps, DeviceColumns& devices) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, NeededSeries());
  const auto visit = [&](SeriesSet& series, SampleColumns& samples) -> absl::Status {
    const SeriesOrigin origin = OriginOf(series.labels());
    const std::optional<size_t> row = known_->RowOf(origin);
    if (!row.has_value() || IsOfAnotherAttempt(origin)) return absl::OkStatus();
    if (const auto name = StepRoleOf(series.labels()); name.has_value()) {
      return IsNeeded(name->role) ? ReadSteps(series, *name, *row, samples, steps)
                                  : absl::OkStatus();
    }
    if (origin.rank.has_value()) return ReadDevice(series, {&*row, 1}, samples, devices);
    const std::vector<size_t> rows = known_->RowsOn(origin);
    return rows.empty() ? absl::OkStatus() : ReadDevice(series, rows, samples, devices);
  };
  return ForEachSeries({matchers, range_, &context_.budget}, context_, visit);
}

void Loader::SetTimes(const DeviceColumns& devices) {
  const std::optional<TimeRange> seen = devices.Seen();
  const training::StepTable& table = job_.steps;
  if (table.size() == 0) {
    if (seen.has_value()) job_.time = *seen;
    job_.job.begin_ms = job_.time.min_ms;
    job_.whole = job_.time;
    return;
  }
  const int64_t first_ms = training::StepBeginMs(table, 0);
  job_.time = {first_ms, table.end_ms.back()};
  if (seen.has_value() && seen->max_ms > job_.time.max_ms + kStillHeldMs) {
    job_.time.max_ms = seen->max_ms;
  }
  const bool is_from_begin =
      job_.attempts.empty() || table.step.front() <= job_.attempts[job_.attempt].first_step;
  job_.job.begin_ms = is_from_begin ? first_ms : job_.attempts[job_.attempt].time.min_ms;
  job_.whole = job_.time;
  if (seen.has_value()) job_.whole.min_ms = std::min(job_.whole.min_ms, seen->min_ms);
}

// `reporting` are the ranks that should report their exit. `first_step` ended at `first_ms`; the
// steps since then give the usual step time.
void Loader::SetRunning(std::span<const int64_t> reporting, int64_t first_step, int64_t first_ms) {
  if (job_.steps.size() == 0) return;
  training::JobSigns signs{.now_ms = query_.now_ms.value_or(0),
                           .last_step_end_ms = job_.newest_ms,
                           .last_step = job_.steps.step.back(),
                           .planned_steps = job_.facts.planned_steps};
  const auto count = static_cast<double>(job_.steps.step.back() - first_step);
  if (count > 0) {
    signs.usual_step_seconds =
        static_cast<double>(job_.steps.end_ms.back() - first_ms) / 1000 / count;
  }
  SetSigns(life_, reporting, signs);
  job_.exit_ms = signs.exit_ms;
  if (!query_.now_ms.has_value()) return;
  job_.is_running = training::ConditionOf(signs).state == training::JobState::kRunning;
}

absl::StatusOr<LoadedJob> Loader::Load() {
  job_.job.name = query_.name;
  LOCKSTEP_RETURN_IF_ERROR(FindJob());
  LOCKSTEP_RETURN_IF_ERROR(FindAttempts());
  LOCKSTEP_RETURN_IF_ERROR(ChooseAttempt());
  if (query_.live_steps_alone) LOCKSTEP_RETURN_IF_ERROR(NarrowToLiveSteps());
  StepColumns steps(job_.job.ranks.size());
  DeviceColumns devices(job_.job.ranks.size());
  steps.SetIsRestart(job_.attempt > 0);
  LOCKSTEP_ASSIGN_OR_RETURN(life_, ReadJobLife(query_.name, PastOf(query_), context_));
  LOCKSTEP_RETURN_IF_ERROR(ReadMarks(steps));
  steps.Align(ExitTimes());
  LOCKSTEP_RETURN_IF_ERROR(ReadValues(steps, devices));
  LOCKSTEP_RETURN_IF_ERROR(ReadPlacedDevices(devices));
  devices.Sort();
  job_.newest_ms = steps.newest_ms().value_or(0);
  job_.not_reporting = steps.not_reporting();
  std::vector<int64_t> reporting;
  for (size_t row = 0; row < job_.job.ranks.size(); ++row) {
    if (steps.Reports(row)) reporting.push_back(job_.job.ranks[row].rank);
  }
  job_.reports = steps.TakeReports();
  job_.steps = steps.Take(context_.pool, query_.needs.job_steps);
  if (query_.live_steps_alone && job_.steps.size() > 0) {
    training::DropStepsBefore(
        training::FirstLiveStep(job_.steps.step.back(), job_.job.ranks.size()), job_.steps);
  }
  job_.steps.attempt_first_step =
      job_.attempts.empty() ? 0 : job_.attempts[job_.attempt].first_step;
  SetTimes(devices);
  if (job_.steps.size() > 0) {
    SetRunning(reporting, job_.steps.step.front(), job_.steps.end_ms.front());
  }
  job_.devices = devices.Take(job_.time);
  if (query_.needs.links) {
    LOCKSTEP_ASSIGN_OR_RETURN(job_.links, ReadLinks(job_.job, job_.time, context_));
  }
  job_.facts = facts_.facts();
  job_.facts.world_size = std::max(job_.facts.world_size, known_->world_size);
  training::SetStages(job_.facts.parallelism, job_.job);
  job_.held_samples = held_samples_;
  return std::move(job_);
}

// Whether a series belongs to an unknown rank or to another attempt. Then the tail is not enough
// and the whole job must be read.
bool Loader::BeginsSomethingElse(const SeriesOrigin& origin) const {
  if (!known_->RowOf(origin).has_value()) return true;
  const std::optional<int64_t> own =
      job_.attempts.empty() ? std::nullopt : job_.attempts[job_.attempt].label;
  return origin.attempt.has_value() && own.has_value() && *origin.attempt > *own;
}

absl::StatusOr<JobTail> Loader::LoadTail(const LoadedJob& before) {
  before_ = &before;
  known_ = before.known;
  job_.job.ranks = before.job.ranks;
  job_.attempts = before.attempts;
  job_.attempt = before.attempt;
  // Start at the last known step of each rank, whose end gives the duration of the next one.
  range_ = query_.time;
  int64_t from_ms = before.steps.end_ms.back();
  for (size_t row = 0; row < before.reports.size(); ++row) {
    const RankReport& report = before.reports[row];
    const bool is_silent = report.progress.owed_since_ms.has_value();
    if (report.taken_ms.has_value() && !is_silent) from_ms = std::min(from_ms, *report.taken_ms);
  }
  range_.min_ms = std::max(range_.min_ms, from_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(life_, ReadJobLife(query_.name, PastOf(query_), context_));
  StepColumns steps(job_.job.ranks.size());
  DeviceColumns devices(job_.job.ranks.size());
  steps.SetBefore(before.reports, before.steps.step.back());
  steps.SetIsRestart(job_.attempt > 0);
  JobTail tail;
  LOCKSTEP_RETURN_IF_ERROR(ReadMarks(steps));
  tail.is_other = is_other_ || steps.GoesBack();
  tail.has_returned = steps.HasReturned();
  if (tail.is_other) return tail;
  steps.Align(ExitTimes());
  LOCKSTEP_RETURN_IF_ERROR(ReadValues(steps, devices));
  const bool has_marks = steps.newest_ms().has_value();
  tail.reports = has_marks ? steps.TakeReports() : before.reports;
  tail.not_reporting = has_marks ? steps.not_reporting() : before.not_reporting;
  tail.newest_ms = std::max(before.newest_ms, steps.newest_ms().value_or(0));
  tail.steps = steps.Take(context_.pool, query_.needs.job_steps);
  context_.budget.Release(held_samples_);
  job_.facts = before.facts;
  job_.steps.step = {before.steps.step.front(),
                     tail.steps.size() > 0 ? tail.steps.step.back() : before.steps.step.back()};
  job_.steps.end_ms = {before.steps.end_ms.front(), tail.steps.size() > 0
                                                        ? tail.steps.end_ms.back()
                                                        : before.steps.end_ms.back()};
  job_.newest_ms = tail.newest_ms;
  std::vector<int64_t> reporting;
  for (size_t row = 0; row < tail.reports.size(); ++row) {
    const training::RankProgress& rank = tail.reports[row].progress;
    const bool is_silent = rank.owed_since_ms.has_value();
    if (rank.last_step.has_value() && !is_silent) reporting.push_back(job_.job.ranks[row].rank);
  }
  SetRunning(reporting, before.steps.step.front(), before.steps.end_ms.front());
  tail.is_running = job_.is_running;
  tail.exit_ms = job_.exit_ms;
  return tail;
}

absl::Status Loader::LoadDevices(LoadedJob& job) {
  known_ = job.known;
  job_.job = job.job;
  job_.attempts = job.attempts;
  job_.attempt = job.attempt;
  range_ = {job.time.min_ms, std::min(job.time.max_ms, query_.time.max_ms)};
  StepColumns steps(job_.job.ranks.size());
  DeviceColumns devices(job_.job.ranks.size());
  LOCKSTEP_RETURN_IF_ERROR(ReadValues(steps, devices));
  LOCKSTEP_RETURN_IF_ERROR(ReadPlacedDevices(devices));
  devices.Sort();
  job.devices = devices.Take(job.time);
  context_.budget.Release(held_samples_);
  if (!query_.needs.links) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(job.links, ReadLinks(job.job, range_, context_));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobTail> LoadTail(const JobQuery& query, const LoadedJob& before,
                                 const LoadContext& context) {
  return Loader(query, context).LoadTail(before);
}

absl::Status LoadDevices(const JobQuery& query, const LoadContext& context, LoadedJob& job) {
  return Loader(query, context).LoadDevices(job);
}

absl::StatusOr<LoadedJob> LoadJob(const JobQuery& query, const LoadContext& context) {
  return Loader(query, context).Load();
}

absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuery& query,
                                                    const LoadContext& context) {
  std::vector<LoadedJob> loaded;
  LOCKSTEP_ASSIGN_OR_RETURN(LoadedJob last, LoadJob(query, context));
  JobQuery one = query;
  one.now_ms.reset();
  for (size_t i = 0; i < last.attempt && !query.attempt.has_value(); ++i) {
    if (last.attempts[i].time.max_ms < query.time.min_ms) continue;
    one.attempt = i;
    LOCKSTEP_ASSIGN_OR_RETURN(LoadedJob before, LoadJob(one, context));
    loaded.push_back(std::move(before));
  }
  loaded.push_back(std::move(last));
  return loaded;
}

}  // namespace lockstep::answers
