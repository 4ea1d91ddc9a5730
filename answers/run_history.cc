#include "answers/run_history.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/job_list.h"
#include "answers/load/job_loader.h"
#include "base/status.h"
#include "identity/store/identity_reader.h"
#include "model/matcher.h"
#include "storage/storage.h"
#include "training/matrix/statistics.h"

namespace lockstep::answers {
namespace {

using training::RunSummary;

const JobNeeds kNeeds{.phases = true, .operations = true};

// Five runs before a change, and as many with it.
constexpr size_t kMostPredecessors = 10;
// Runs that look alike by their facts but turn out to train another model.
constexpr size_t kMostLoaded = 20;
constexpr size_t kMostValuesOfSetting = 3;
constexpr double kSameOperations = 0.02;

using Texts = std::map<std::string, std::string>;

bool IsOfModel(std::string_view name) {
  return name.starts_with("model_") || name.starts_with("parallelism_");
}

bool IsVersion(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("version") != std::string::npos;
}

// What is known of a run.
struct Run {
  RunSummary summary = {};
  Texts model = {};                        // as registered
  double operations = training::kUnknown;  // of a rank in a step
};

// Labels of the job's series that name versions, with their values.
absl::Status ReadVersions(const std::string& job, const TimeRange& time, const LoadContext& context,
                          Texts& settings) {
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job)};
  const Selection selection{.matchers = matchers, .range = time, .budget = &context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto names, context.querier.LabelNames(selection));
  for (const std::string& name : names) {
    if (!IsVersion(name)) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(auto values, context.querier.LabelValues(name, selection));
    values.resize(std::min(values.size(), kMostValuesOfSetting));
    std::string& all = settings[name];
    for (const std::string& value : values) all += (all.empty() ? "" : ", ") + value;
  }
  return absl::OkStatus();
}

absl::StatusOr<Run> ReadRun(const LoadedJob& job, const LoadContext& context) {
  Run run{.summary = training::SummaryOf(job.steps)};
  run.summary.job = job.job.name;
  run.summary.attempt = job.attempt;
  run.summary.time = job.time;
  if (!job.steps.model_flops.empty()) {
    std::vector<double> of_ranks;
    for (size_t row = 0; row < job.steps.model_flops.rows(); ++row) {
      of_ranks.push_back(training::Median(job.steps.model_flops.Row(row)));
    }
    run.operations = training::Median(of_ranks);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto info,
      identity::ReadJobInfo({context.querier, job.time, &context.budget}, job.job.name));
  for (const auto& [name, value] : info) {
    (IsOfModel(name) ? run.model : run.summary.settings).emplace(name, value);
  }
  run.summary.settings.erase("attempt");
  LOCKSTEP_RETURN_IF_ERROR(ReadVersions(job.job.name, job.time, context, run.summary.settings));
  return run;
}

bool HaveSameShape(const ListedJob& a, const ListedJob& b) {
  const training::Parallelism& x = a.facts.parallelism;
  const training::Parallelism& y = b.facts.parallelism;
  const auto same = [](double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other));
  };
  const auto models = [](const ListedJob& job) {
    return std::set<std::string>(job.gpu_models.begin(), job.gpu_models.end());
  };
  return a.job.ranks.size() == b.job.ranks.size() && models(a) == models(b) && x.data == y.data &&
         x.tensor == y.tensor && x.pipeline == y.pipeline && x.context == y.context &&
         x.micro_batch == y.micro_batch && x.global_batch == y.global_batch &&
         same(a.facts.sequence_length, b.facts.sequence_length);
}

bool TrainSameModel(const Run& a, const Run& b) {
  if (a.model != b.model) return false;
  const double ratio = a.operations / b.operations;
  if (!std::isnan(ratio)) return std::abs(ratio - 1) <= kSameOperations;
  if (!a.model.empty()) return true;
  return NameWithoutNumbers(a.summary.job) == NameWithoutNumbers(b.summary.job);
}

std::string Sentence(const JobRunHistory& found) {
  const training::RunComparison& comparison = found.comparison;
  if (std::isnan(found.run.step_seconds)) return "The run has made too few steps.";
  if (found.predecessors.empty()) return "No earlier run has the same configuration.";
  const std::string base = absl::StrFormat("the median of %d earlier run%s", comparison.base_count,
                                           comparison.base_count == 1 ? "" : "s");
  if (comparison.change == training::RunChange::kNone) {
    return absl::StrFormat("As fast as %s, within %.1f %%.", base, 100 * comparison.noise_ratio);
  }
  std::string words = absl::StrFormat("%.1f %% %s than %s", 100 * std::abs(comparison.change_ratio),
                                      Name(comparison.change), base);
  if (comparison.since.has_value()) {
    words += absl::StrFormat(", since %s", found.predecessors[*comparison.since].job);
  }
  if (!comparison.phase.empty()) {
    words += absl::StrFormat("; it is the phase %s", comparison.phase);
  }
  for (const training::ChangedSetting& setting : comparison.settings) {
    words += absl::StrFormat("; %s was %s and is %s", setting.name,
                             setting.before.empty() ? "unknown" : setting.before,
                             setting.after.empty() ? "unknown" : setting.after);
  }
  return words + ".";
}

// Ranks the listed jobs that began before `job`, the latest first.
std::vector<const ListedJob*> EarlierJobs(const std::vector<ListedJob>& jobs,
                                          const ListedJob& job) {
  std::vector<const ListedJob*> earlier;
  for (const ListedJob& each : jobs) {
    if (each.time.min_ms < job.time.min_ms && HaveSameShape(each, job)) earlier.push_back(&each);
  }
  std::ranges::sort(earlier, std::greater<>(),
                    [](const ListedJob* each) { return each->time.min_ms; });
  earlier.resize(std::min(earlier.size(), kMostLoaded));
  return earlier;
}

absl::Status AddPredecessors(const RunHistoryQuestion& question, const QuestionContext& context,
                             const LoadContext& load, const std::vector<ListedJob>& jobs,
                             const Run& run, JobRunHistory& found) {
  const auto self =
      std::ranges::find(jobs, question.job.name, [](const ListedJob& job) { return job.job.name; });
  if (self == jobs.end()) return absl::OkStatus();
  for (const ListedJob* earlier : EarlierJobs(jobs, *self)) {
    if (found.predecessors.size() == kMostPredecessors) break;
    const JobQuestion about{.name = earlier->job.name,
                            .time = {kAllTimes.min_ms, question.job.time.max_ms}};
    LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job,
                              LoadJob(QueryOf(about, kNeeds, context.now_ms), load));
    LOCKSTEP_ASSIGN_OR_RETURN(Run other, ReadRun(job, load));
    context.budget.Release(job.held_samples);
    if (std::isnan(other.summary.step_seconds) || !TrainSameModel(run, other)) continue;
    found.predecessors.push_back(std::move(other.summary));
  }
  return absl::OkStatus();
}

}  // namespace

std::string NameWithoutNumbers(std::string_view job) {
  std::string rest;
  for (const char c : job) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) rest.push_back(c);
  }
  return rest;
}

absl::StatusOr<JobRunHistory> AnswerRunHistory(const RunHistoryQuestion& question,
                                               const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const LoadContext load{*querier, context.pool, context.budget};
  JobRunHistory found;
  Run run;
  {
    LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job,
                              LoadJob(QueryOf(question.job, kNeeds, context.now_ms), load));
    found.subject = SubjectOf(job);
    LOCKSTEP_ASSIGN_OR_RETURN(run, ReadRun(job, load));
    context.budget.Release(job.held_samples);
  }
  found.run = run.summary;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<ListedJob> jobs,
                            ListJobs({.time = {kAllTimes.min_ms, question.job.time.max_ms},
                                      .now_ms = context.now_ms,
                                      .exclude_verdicts = true},
                                     load));
  LOCKSTEP_RETURN_IF_ERROR(AddPredecessors(question, context, load, jobs, run, found));
  found.comparison = training::CompareRuns(found.run, found.predecessors);
  found.sentence = Sentence(found);
  return found;
}

}  // namespace lockstep::answers
