#include "answers/job_loader.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/attempt_reader.h"
#include "answers/device_columns.h"
#include "answers/fact_reader.h"
#include "answers/known_ranks.h"
#include "answers/link_reader.h"
#include "answers/series_parts.h"
#include "answers/series_roles.h"
#include "answers/step_columns.h"
#include "base/status.h"
#include "identity/regex_text.h"
#include "model/matcher.h"

namespace lockstep::answers {
namespace {

// A device that counts for longer than this after the last step is still the job's: steps do not end any more.
constexpr int64_t kStillHeldMs = 60'000;

class Loader {
 public:
  Loader(const JobQuery& query, const LoadContext& context) : query_(query), context_(context) {}

  absl::StatusOr<LoadedJob> Load();

 private:
  absl::Status FindJob();
  absl::Status FindAttempts();
  absl::Status ChooseAttempt();
  absl::Status ReadMarks(StepColumns& steps);
  absl::Status ReadValues(StepColumns& steps, DeviceColumns& devices);
  absl::Status ReadSteps(SeriesSet& series, const StepSeries& said, size_t row,
                         SampleColumns& samples, StepColumns& steps);
  absl::Status ReadDevice(SeriesSet& series, size_t row, SampleColumns& samples,
                          DeviceColumns& devices);
  absl::Status ReadPlacedDevices(DeviceColumns& devices);
  absl::Status ReadCharged(SeriesSet& series, SampleColumns& samples);
  absl::StatusOr<std::vector<Matcher>> StepNumbers() const;
  absl::StatusOr<std::vector<Matcher>> NeededSeries() const;
  bool IsNeeded(StepRole role) const;
  void SetTimes(const DeviceColumns& devices);

  const JobQuery& query_;
  const LoadContext& context_;
  KnownRanks known_;
  TimeRange range_;  // that is read
  FactReader facts_;
  std::atomic<int64_t> held_samples_{0};
  LoadedJob job_;
};

absl::Status Loader::FindJob() {
  LOCKSTEP_ASSIGN_OR_RETURN(known_, FindRanks(query_.name, query_.time, context_));
  job_.job.ranks = known_.places;
  job_.gpu_models = known_.gpu_models;
  return absl::OkStatus();
}

// Series of devices that do not name the job, of ranks none of whose do.
absl::Status Loader::ReadPlacedDevices(DeviceColumns& devices) {
  if (query_.needs.devices.none()) return absl::OkStatus();
  std::vector<bool> is_labelled(job_.job.ranks.size());
  for (size_t row = 0; row < is_labelled.size(); ++row) is_labelled[row] = devices.HasAny(row);
  for (const identity::Placement& placement : known_.placements) {
    const std::optional<size_t> row = known_.RowOf(placement.rank);
    if (!row.has_value() || is_labelled[*row]) continue;
    const TimeRange range{std::max(range_.min_ms, placement.time.min_ms),
                          std::min(range_.max_ms, placement.time.max_ms)};
    if (range.min_ms > range.max_ms) continue;
    for (const std::vector<Matcher>& matchers : placement.device_matchers) {
      LOCKSTEP_RETURN_IF_ERROR(ForEachSeries({matchers, range, &context_.budget}, context_,
                                             [&](SeriesSet& series, SampleColumns& samples) {
                                               return ReadDevice(series, *row, samples, devices);
                                             }));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Matcher>> Loader::StepNumbers() const {
  LOCKSTEP_ASSIGN_OR_RETURN(
      Matcher names,
      Matcher::Make(MatchType::kRegex, std::string(kMetricName), std::string(StepNumberNames())));
  return std::vector<Matcher>{Matcher::Equal("job", query_.name), std::move(names)};
}

absl::Status Loader::FindAttempts() {
  if (!known_.numbering_rank.has_value()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(job_.attempts,
                            ReadAttemptSpans(query_.name, *known_.numbering_rank, context_));
  return absl::OkStatus();
}

// Ranks do not begin and end at once: an attempt reaches half of the way to its neighbours.
absl::Status Loader::ChooseAttempt() {
  const std::vector<AttemptSpan>& all = job_.attempts;
  range_ = query_.time;
  if (query_.attempt.has_value() && *query_.attempt >= std::max<size_t>(all.size(), 1)) {
    return absl::NotFoundError(
        absl::StrFormat("the job \"%s\" has %d attempts, counted from 0", query_.name, all.size()));
  }
  if (all.empty()) return absl::OkStatus();
  size_t chosen = query_.attempt.value_or(all.size() - 1);
  if (!query_.attempt.has_value()) {
    while (chosen > 0 && all[chosen].time.from_ms > query_.time.max_ms) --chosen;
  }
  if (chosen > 0) {
    const int64_t before_ms = all[chosen - 1].time.to_ms;
    range_.min_ms =
        std::max(range_.min_ms, before_ms + (all[chosen].time.from_ms - before_ms) / 2 + 1);
  }
  if (chosen + 1 < all.size()) {
    const int64_t end_ms = all[chosen].time.to_ms;
    range_.max_ms = std::min(range_.max_ms, end_ms + (all[chosen + 1].time.from_ms - end_ms) / 2);
  }
  job_.attempt = chosen;
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

absl::Status Loader::ReadMarks(StepColumns& steps) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, StepNumbers());
  const auto visit = [&](SeriesSet& series, SampleColumns& samples) -> absl::Status {
    const std::optional<size_t> row = known_.RowOf(OriginOf(series.labels()));
    if (!row.has_value()) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
    steps.AddMarks(*row, samples);
    return absl::OkStatus();
  };
  return ForEachSeries({matchers, range_, &context_.budget}, context_, visit);
}

bool Loader::IsNeeded(StepRole role) const {
  switch (role) {
    case StepRole::kStep:
      return false;
    case StepRole::kPhaseSeconds:
    case StepRole::kOwnSeconds:
      return query_.needs.phases;
    case StepRole::kLoss:
    case StepRole::kGradientNorm:
      return query_.needs.loss;
    case StepRole::kMemoryAllocatedBytes:
      return query_.needs.memory;
    case StepRole::kModelFlops:
    case StepRole::kTeraflops:
    case StepRole::kTokens:
      return query_.needs.operations;
    default:
      return true;
  }
}

absl::Status Loader::ReadSteps(SeriesSet& series, const StepSeries& said, size_t row,
                               SampleColumns& samples, StepColumns& steps) {
  if (FactReader::Tells(said.role)) {
    // All ranks say the same.
    if (row != 0) return absl::OkStatus();
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
    ToUnit(said.name, said.factor, samples);
    facts_.Add(said.role, samples);
    return absl::OkStatus();
  }
  LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
  ToUnit(said.name, said.factor, samples);
  steps.Add(said, row, samples);
  return absl::OkStatus();
}

absl::Status Loader::ReadDevice(SeriesSet& series, size_t row, SampleColumns& samples,
                                DeviceColumns& devices) {
  const std::optional<DeviceSeries> device = DeviceSeriesOf(series.labels());
  if (!device.has_value()) return absl::OkStatus();
  if (!query_.needs.devices.test(static_cast<size_t>(device->counter))) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(ReadCharged(series, samples));
  ToUnit(device->name, device->factor, samples);
  devices.Add(device->counter, row, OriginOf(series.labels()).gpu_model, samples);
  return absl::OkStatus();
}

// The job's series but for those whose names say that they are not needed: a large job has ten times as many.
absl::StatusOr<std::vector<Matcher>> Loader::NeededSeries() const {
  std::vector<Matcher> matchers = {Matcher::Equal("job", query_.name)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<std::string> names,
      context_.querier.LabelValues(kMetricName, {matchers, range_, &context_.budget}));
  std::string needed;
  for (const std::string& name : names) {
    const LabelSet labels = LabelSet::Of({{kMetricName, name}});
    const std::optional<StepSeries> said = StepSeriesOf(labels);
    const std::optional<DeviceSeries> device = DeviceSeriesOf(labels);
    // Of some names the labels say what they mean.
    bool is_needed = true;
    if (device.has_value())
      is_needed = query_.needs.devices.test(static_cast<size_t>(device->counter));
    if (said.has_value()) is_needed = IsNeeded(said->role);
    if (!is_needed) continue;
    absl::StrAppendFormat(&needed, "%s%s", needed.empty() ? "" : "|", identity::EscapeRegex(name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher matcher,
                            Matcher::Make(MatchType::kRegex, std::string(kMetricName), needed));
  matchers.push_back(std::move(matcher));
  return matchers;
}

absl::Status Loader::ReadValues(StepColumns& steps, DeviceColumns& devices) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Matcher> matchers, NeededSeries());
  const auto visit = [&](SeriesSet& series, SampleColumns& samples) -> absl::Status {
    const SeriesOrigin origin = OriginOf(series.labels());
    const std::optional<size_t> row = known_.RowOf(origin);
    if (!row.has_value()) return absl::OkStatus();
    if (const auto said = StepSeriesOf(series.labels()); said.has_value()) {
      return IsNeeded(said->role) ? ReadSteps(series, *said, *row, samples, steps)
                                  : absl::OkStatus();
    }
    if (!origin.rank.has_value()) return absl::OkStatus();
    return ReadDevice(series, *row, samples, devices);
  };
  return ForEachSeries({matchers, range_, &context_.budget}, context_, visit);
}

void Loader::SetTimes(const DeviceColumns& devices) {
  const std::optional<training::TimeRange> seen = devices.Seen();
  const training::StepTable& table = job_.steps;
  if (table.size() == 0) {
    if (seen.has_value()) job_.time = *seen;
    job_.job.begin_ms = job_.time.from_ms;
    job_.whole = job_.time;
    return;
  }
  const int64_t first_ms = training::StepBeginMs(table, 0);
  job_.time = {first_ms, table.end_ms.back()};
  if (seen.has_value() && seen->to_ms > job_.time.to_ms + kStillHeldMs) {
    job_.time.to_ms = seen->to_ms;
  }
  const bool is_from_begin =
      job_.attempts.empty() || table.step.front() <= job_.attempts[job_.attempt].first_step;
  job_.job.begin_ms = is_from_begin ? first_ms : job_.attempts[job_.attempt].time.from_ms;
  job_.whole = job_.time;
  if (seen.has_value()) job_.whole.from_ms = std::min(job_.whole.from_ms, seen->from_ms);
}

absl::StatusOr<LoadedJob> Loader::Load() {
  job_.job.name = query_.name;
  LOCKSTEP_RETURN_IF_ERROR(FindJob());
  LOCKSTEP_RETURN_IF_ERROR(FindAttempts());
  LOCKSTEP_RETURN_IF_ERROR(ChooseAttempt());
  StepColumns steps(job_.job.ranks.size());
  DeviceColumns devices(job_.job.ranks.size());
  LOCKSTEP_RETURN_IF_ERROR(ReadMarks(steps));
  steps.Align();
  LOCKSTEP_RETURN_IF_ERROR(ReadValues(steps, devices));
  LOCKSTEP_RETURN_IF_ERROR(ReadPlacedDevices(devices));
  devices.Sort();
  job_.steps = steps.Take(context_.pool, query_.needs.job_steps);
  job_.steps.attempt_first_step =
      job_.attempts.empty() ? 0 : job_.attempts[job_.attempt].first_step;
  SetTimes(devices);
  job_.devices = devices.Take(job_.time);
  if (query_.needs.links) {
    LOCKSTEP_ASSIGN_OR_RETURN(job_.links,
                              ReadLinks(job_.job, {job_.time.from_ms, job_.time.to_ms}, context_));
  }
  job_.facts = facts_.facts();
  job_.facts.world_size = std::max(job_.facts.world_size, known_.world_size);
  training::SetStages(job_.facts.parallelism, job_.job);
  job_.held_samples = held_samples_;
  return std::move(job_);
}

}  // namespace

absl::StatusOr<LoadedJob> LoadJob(const JobQuery& query, const LoadContext& context) {
  return Loader(query, context).Load();
}

absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuery& query,
                                                    const LoadContext& context) {
  std::vector<LoadedJob> loaded;
  LOCKSTEP_ASSIGN_OR_RETURN(LoadedJob last, LoadJob(query, context));
  JobQuery one = query;
  for (size_t i = 0; i < last.attempt && !query.attempt.has_value(); ++i) {
    if (last.attempts[i].time.to_ms < query.time.min_ms) continue;
    one.attempt = i;
    LOCKSTEP_ASSIGN_OR_RETURN(LoadedJob before, LoadJob(one, context));
    loaded.push_back(std::move(before));
  }
  loaded.push_back(std::move(last));
  return loaded;
}

}  // namespace lockstep::answers
