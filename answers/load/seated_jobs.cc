#include "answers/load/seated_jobs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "answers/load/series_roles.h"
#include "base/status.h"
#include "identity/registration.h"
#include "identity/sighting.h"
#include "identity/store/identity_reader.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {
namespace {

using identity::JobIdentity;
using identity::SeenSeries;

class Finder {
 public:
  Finder(const std::string& name, TimeRange time, const std::set<std::string, std::less<>>& known,
         const LoadContext& context)
      : name_(name), time_(WithinReach(time)), known_(known), context_(context) {}

  absl::StatusOr<std::vector<JobIdentity>> Find();

 private:
  bool IsWanted(const std::string& job) const {
    return !job.empty() && (name_.empty() || job == name_) && !known_.contains(job);
  }
  absl::Status SeeDevices(std::string_view label);
  absl::Status TakeRegistered(std::map<std::string, JobIdentity>& jobs) const;

  const std::string& name_;
  TimeRange time_;
  const std::set<std::string, std::less<>>& known_;
  const LoadContext& context_;
  std::map<std::string, std::vector<SeenSeries>> seen_;
};

absl::Status Finder::SeeDevices(std::string_view label) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names,
                            RememberedRegexMatcher(kMetricName, DevicePresenceNames()));
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher named,
                            Matcher::Make(MatchType::kNotEqual, std::string(label), ""));
  const std::vector<Matcher> matchers = {std::move(names), std::move(named)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context_.querier.Select({matchers, time_, &context_.budget, SamplesNeeded::kEnds}));
  SampleColumns samples;
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
    identity::Sighting who = identity::SightingOf(set->labels());
    if (!IsWanted(who.job)) continue;
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    if (samples.timestamps_ms.empty()) continue;
    const TimeRange time{samples.timestamps_ms.front(), samples.timestamps_ms.back()};
    std::vector<SeenSeries>& of_job = seen_[who.job];
    of_job.push_back({.kind = SeenSeries::Kind::kDevice, .who = std::move(who), .seen = {time}});
  }
  return set->status();
}

absl::Status Finder::TakeRegistered(std::map<std::string, JobIdentity>& jobs) const {
  const std::vector<Matcher> matchers = {
      Matcher::Equal(std::string(kMetricName), std::string(identity::kRankInfoMetric))};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<std::string> names,
      context_.querier.LabelValues("job", {matchers, time_, &context_.budget}));
  for (const std::string& name : names) {
    if (!IsWanted(name)) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(
        jobs[name], identity::ReadJobIdentity({context_.querier, time_, &context_.budget}, name));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<JobIdentity>> Finder::Find() {
  for (const std::string_view label : identity::JobLabels()) {
    LOCKSTEP_RETURN_IF_ERROR(SeeDevices(label));
  }
  std::map<std::string, JobIdentity> jobs;
  for (const auto& [name, seen] : seen_) jobs[name] = identity::ResolveJob(name, seen, time_);
  LOCKSTEP_RETURN_IF_ERROR(TakeRegistered(jobs));
  std::vector<JobIdentity> found;
  for (auto& [name, job] : jobs) {
    if (!job.placements.empty()) found.push_back(std::move(job));
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<JobIdentity>> ReadSeatedJobs(
    const std::string& name, TimeRange time, const std::set<std::string, std::less<>>& known,
    const LoadContext& context) {
  return Finder(name, time, known, context).Find();
}

}  // namespace lockstep::answers
