#include "identity/store/identity_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "catalogue/metric_names.h"
#include "identity/regex_text.h"
#include "identity/registration.h"
#include "identity/store/series_seer.h"

namespace lockstep::identity {
namespace {

using catalogue::Role;
using Kind = SeenSeries::Kind;

// A GPU without any of these is not monitored.
constexpr Role kProbeRoles[] = {Role::kGpuPowerWatts, Role::kGpuUtilizationRatio,
                                Role::kGpuTemperatureCelsius, Role::kGpuSmActiveRatio,
                                Role::kGpuMemoryUsedBytes};
// Best first: only the first one distinguishes attempts.
constexpr Role kStepRoles[] = {Role::kTrainStep, Role::kTrainStepTimeSeconds, Role::kTrainLoss};
constexpr std::string_view kPodLabels[] = {"pod", "exported_pod", "k8s_pod_name"};
constexpr std::string_view kResourceInfo = "target_info";

std::string NamesOf(std::span<const Role> roles) {
  std::string names;
  for (const Role role : roles) {
    for (const std::string_view name : catalogue::NamesOf(role)) {
      if (!names.empty()) names += '|';
      names += name;
    }
  }
  return names;
}

const std::string& ProbeNames() {
  static const auto* names = new std::string(NamesOf(kProbeRoles));
  return *names;
}

std::vector<std::string_view> AllJobLabels() {
  std::vector<std::string_view> labels = {"job", "exported_job"};
  labels.insert(labels.end(), JobLabels().begin(), JobLabels().end());
  return labels;
}

Matcher Equal(std::string_view name, std::string_view value) {
  return Matcher::Equal(std::string(name), std::string(value));
}

absl::StatusOr<Matcher> AnyOf(std::string_view name, const std::set<std::string>& values) {
  std::string pattern;
  for (const std::string& value : values) {
    if (!pattern.empty()) pattern += '|';
    pattern += EscapeRegex(value);
  }
  return Matcher::Make(MatchType::kRegex, std::string(name), pattern);
}

// Series selected for the job belong to it, even if their labels name it in a way that may mean
// something else.
void NameJob(std::string_view job, size_t first, std::vector<SeenSeries>& seen) {
  for (size_t i = first; i < seen.size(); ++i) {
    if (seen[i].who.job.empty()) seen[i].who.job = job;
  }
}

absl::Status SeeSteps(std::string_view job, SeriesSeer& seer) {
  for (const Role role : kStepRoles) {
    const size_t before = seer.seen().size();
    for (const std::string_view label : AllJobLabels()) {
      LOCKSTEP_RETURN_IF_ERROR(
          seer.See(Kind::kSteps, NamesOf(std::span(&role, 1)), {Equal(label, job)}));
    }
    NameJob(job, before, seer.seen());
    if (seer.seen().size() > before) break;
  }
  return absl::OkStatus();
}

absl::Status SeeDevices(std::string_view job, SeriesSeer& seer) {
  for (const std::string_view label : AllJobLabels()) {
    LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kDevice, ProbeNames(), {Equal(label, job)}));
  }
  for (const std::string_view label : kPodLabels) {
    LOCKSTEP_ASSIGN_OR_RETURN(Matcher pods, Matcher::Make(MatchType::kRegex, std::string(label),
                                                          EscapeRegex(job) + "-.+"));
    LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kDevice, ProbeNames(), {std::move(pods)}));
  }
  return absl::OkStatus();
}

// OpenTelemetry describes a process once, in a separate series.
absl::Status FillFromResources(const IdentityContext& context, std::string_view job,
                               std::vector<SeenSeries>& seen) {
  const std::vector<Matcher> matchers = {Equal(kMetricName, kResourceInfo), Equal("job", job)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto series, context.querier.Select({.matchers = matchers,
                                                                       .range = context.range,
                                                                       .budget = context.budget}));
  while (series->Next()) {
    const Sighting resource = SightingOf(series->labels());
    for (SeenSeries& step : seen) {
      Sighting& who = step.who;
      if (step.kind != Kind::kSteps || step.instance != series->labels().Get("instance")) continue;
      if (!who.rank.has_value()) who.rank = resource.rank;
      if (!who.world_size.has_value()) who.world_size = resource.world_size;
      if (who.seat.host.empty()) who.seat.host = resource.seat.host;
      if (who.seat.uuid.empty()) who.seat.uuid = resource.seat.uuid;
    }
  }
  return series->status();
}

// Looks for other jobs on the job's GPUs or hosts.
absl::Status SeeNeighbours(SeriesSeer& seer) {
  std::set<std::string> hosts;
  std::set<std::string> uuids;
  for (const SeenSeries& series : seer.seen()) {
    const Seat& seat = series.who.seat;
    if (!seat.uuid.empty()) {
      uuids.insert(seat.uuid);
    } else if (!seat.host.empty()) {
      hosts.insert(seat.host);
    }
  }
  const auto see = [&](std::span<const std::string_view> labels,
                       const std::set<std::string>& values) -> absl::Status {
    if (values.empty()) return absl::OkStatus();
    for (const std::string_view label : labels) {
      LOCKSTEP_ASSIGN_OR_RETURN(const Matcher matcher, AnyOf(label, values));
      LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kDevice, ProbeNames(), {matcher}));
      LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kRegistration, kRankInfoMetric, {matcher}));
    }
    return absl::OkStatus();
  };
  LOCKSTEP_RETURN_IF_ERROR(see(HostLabels(), hosts));
  return see(UuidLabels(), uuids);
}

using LabelPairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace

absl::StatusOr<JobIdentity> ReadJobIdentity(const IdentityContext& context, std::string_view job) {
  SeriesSeer seer(context);
  LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kRegistration, kRankInfoMetric, {Equal("job", job)}));
  LOCKSTEP_RETURN_IF_ERROR(SeeSteps(job, seer));
  LOCKSTEP_RETURN_IF_ERROR(FillFromResources(context, job, seer.seen()));
  LOCKSTEP_RETURN_IF_ERROR(SeeDevices(job, seer));
  LOCKSTEP_RETURN_IF_ERROR(SeeNeighbours(seer));
  const size_t before = seer.seen().size();
  LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kRegistration, kJobInfoMetric, {Equal("job", job)}));
  NameJob(job, before, seer.seen());
  return ResolveJob(job, seer.seen(), context.range);
}

absl::StatusOr<std::vector<GpuStay>> ReadGpuHistory(const IdentityContext& context,
                                                    std::string_view uuid) {
  SeriesSeer seer(context);
  for (const std::string_view label : UuidLabels()) {
    LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kDevice, ProbeNames(), {Equal(label, uuid)}));
    LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kRegistration, kRankInfoMetric, {Equal(label, uuid)}));
  }
  std::set<std::pair<std::string, std::string>> places;
  for (const SeenSeries& series : seer.seen()) {
    const Seat& seat = series.who.seat;
    if (!seat.host.empty() && !seat.gpu.empty()) places.emplace(seat.host, seat.gpu);
  }
  for (const auto& [host, gpu] : places) {
    for (const std::string_view label : HostLabels()) {
      const std::vector<Matcher> place = {Equal(label, host), Equal("gpu", gpu)};
      LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kSteps, NamesOf(kStepRoles), place));
      LOCKSTEP_RETURN_IF_ERROR(seer.See(Kind::kRegistration, kRankInfoMetric, place));
    }
  }
  std::set<std::string> jobs;
  for (const SeenSeries& series : seer.seen()) {
    if (!series.who.job.empty()) jobs.insert(series.who.job);
  }
  if (jobs.size() > kMaxJobsOfGpu) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("reading the history of GPU %s: %d jobs used it in this time range, more "
                        "than the limit of %d: use a shorter range",
                        uuid, jobs.size(), kMaxJobsOfGpu));
  }
  std::vector<GpuStay> stays;
  for (const std::string& job : jobs) {
    LOCKSTEP_ASSIGN_OR_RETURN(JobIdentity identity, ReadJobIdentity(context, job));
    for (Placement& placement : identity.placements) {
      if (placement.seat.uuid == uuid) stays.push_back({job, std::move(placement)});
    }
  }
  std::ranges::sort(stays, {}, [](const GpuStay& stay) { return stay.placement.time.min_ms; });
  return stays;
}

absl::StatusOr<LabelPairs> ReadJobInfo(const IdentityContext& context, std::string_view job) {
  const std::vector<Matcher> matchers = {Equal(kMetricName, kJobInfoMetric), Equal("job", job)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto series, context.querier.Select({.matchers = matchers,
                                                 .range = {kAllTimes.min_ms, context.range.max_ms},
                                                 .budget = context.budget}));
  LabelPairs info;
  int64_t newest_ms = kAllTimes.min_ms;
  SampleColumns columns;
  while (series->Next()) {
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series->Read(columns));
    if (columns.timestamps_ms.empty() || columns.timestamps_ms.back() < newest_ms) continue;
    newest_ms = columns.timestamps_ms.back();
    info.clear();
    for (const LabelView& label : series->labels()) {
      if (label.name == kMetricName || label.name == "job") continue;
      info.emplace_back(label.name, label.value);
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(series->status());
  return info;
}

}  // namespace lockstep::identity
