#include "cli/questions/missing_jobs.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/help/did_you_mean.h"
#include "cli/terminal/time_text.h"

namespace lockstep::cli {
namespace {

constexpr const char* kHowToSendJobs =
    "Send a training log with `lockstep import --job NAME FILE`; `lockstep demo` shows recorded "
    "jobs.\n";

struct KnownJobs {
  std::vector<std::string> names;  // latest first
  std::string latest_end;          // as text for people
};

// Jobs of any time.
absl::StatusOr<KnownJobs> AskForAllJobs(HttpClient& client) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      const Answer answer,
      Ask(client, "/api/v1/training/jobs", {{"start", "0"}, {"exclude_verdicts", "true"}}));
  KnownJobs jobs;
  for (const auto job : ListAt(answer.data(), "/jobs")) {
    if (jobs.names.empty()) jobs.latest_end = WhenText(NumberAt(job, "/to"));
    jobs.names.push_back(TextAt(job, "/job"));
  }
  return jobs;
}

std::string WithoutAnyJob(HttpClient& client) {
  const auto answer = AskByGet(client, "/api/v1/status/tsdb", {});
  const double series_count = answer.ok() ? NumberAt(answer->data(), "/headStats/numSeries") : 0;
  if (series_count > 0) {
    return absl::StrFormat(
        "no training jobs: the server stores %.0f series, but none of them belongs to a training "
        "job.\n%s",
        series_count, kHowToSendJobs);
  }
  return absl::StrFormat("no training jobs: the server has stored nothing yet.\n%s",
                         kHowToSendJobs);
}

}  // namespace

std::string WhyNoJobs(HttpClient& client, bool has_times) {
  const std::string when = has_times ? "in that time range" : "in the last 30 days";
  const absl::StatusOr<KnownJobs> jobs = AskForAllJobs(client);
  if (!jobs.ok()) return absl::StrFormat("no training jobs %s\n", when);
  if (jobs->names.empty()) return WithoutAnyJob(client);
  return absl::StrFormat(
      "no training jobs %s. The latest of %d others, \"%s\", ended at %s.\n"
      "`lockstep jobs --start 0` lists all of them.\n",
      when, jobs->names.size(), jobs->names.front(), jobs->latest_end);
}

std::string AdviceOnMissingJob(HttpClient& client, const std::string& job) {
  const absl::StatusOr<KnownJobs> jobs = AskForAllJobs(client);
  if (!jobs.ok()) return "";
  const std::vector<std::string>& names = jobs->names;
  if (std::find(names.begin(), names.end(), job) != names.end()) return "";
  if (names.empty()) return "; the server has no training jobs yet";
  const std::string suggestion = DidYouMean(job, names);
  return suggestion.empty() ? "; `lockstep jobs --start 0` lists all jobs" : suggestion;
}

}  // namespace lockstep::cli
