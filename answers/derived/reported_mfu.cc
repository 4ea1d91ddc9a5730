#include "answers/derived/reported_mfu.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "answers/derived/derived_labels.h"
#include "answers/derived/scaled_series_set.h"
#include "answers/load/known_ranks.h"
#include "answers/load/series_roles.h"
#include "base/status.h"
#include "identity/regex_text.h"
#include "model/remembered_matcher.h"
#include "training/devices/gpu_catalogue.h"

namespace lockstep::answers {
namespace {

absl::StatusOr<Matcher> OneOf(std::string_view label, const std::set<std::string>& values) {
  return Matcher::Make(MatchType::kRegex, std::string(label),
                       absl::StrJoin(values, "|", [](std::string* out, const std::string& value) {
                         out->append(identity::EscapeRegex(value));
                       }));
}

// How to convert the stored series of a selection.
struct Plan {
  std::vector<ScaledSeries> series;  // in the order of the stored ones
  size_t stored_count = 0;           // may exceed the size of `series` if some do not match
  std::set<std::string> ranks;       // rank label values of matching series
};

// Caches lookups, as most GPUs are of the same model.
std::vector<std::optional<double>> PeaksOf(const std::vector<std::string>& gpu_models) {
  std::vector<std::optional<double>> peaks(gpu_models.size());
  for (size_t row = 0; row < gpu_models.size(); ++row) {
    const bool is_again = row > 0 && gpu_models[row] == gpu_models[row - 1];
    peaks[row] = is_again ? peaks[row - 1] : MfuPeakFlops(gpu_models[row]);
  }
  return peaks;
}

class Planner {
 public:
  Planner(std::span<const std::string> jobs, const Selection& selection, const LoadContext& context)
      : jobs_(jobs), selection_(selection), context_(context) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select();

 private:
  absl::StatusOr<bool> ReportOperations() const;
  absl::Status FindRanksOfJobs();
  absl::StatusOr<Plan> Read(std::span<const Matcher> matchers) const;
  std::optional<ScaledSeries> Scaled(const LabelSet& stored) const;
  bool Matches(const LabelSet& labels) const;

  const std::span<const std::string> jobs_;
  const Selection& selection_;
  const LoadContext& context_;
  struct JobRanks {
    KnownRanks known;
    std::vector<std::optional<double>> peak_flops;  // by rank
  };
  std::map<std::string, JobRanks, std::less<>> ranks_;  // by job
};

absl::StatusOr<bool> Planner::ReportOperations() const {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher of_jobs, OneOf("job", {jobs_.begin(), jobs_.end()}));
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, ModelFlopsNames()));
  const std::vector<Matcher> matchers = {std::move(of_jobs), std::move(names)};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set, context_.querier.Select({matchers, selection_.range, &context_.budget}));
  return set->size() > 0;
}

absl::Status Planner::FindRanksOfJobs() {
  for (const std::string& job : jobs_) {
    absl::StatusOr<KnownRanks> known = FindRanks(job, selection_.range, context_);
    // Devices may name the job in one counter but not in the needed ones.
    if (known.status().code() == absl::StatusCode::kNotFound) continue;
    LOCKSTEP_RETURN_IF_ERROR(known.status());
    JobRanks& ranks = ranks_[job];
    ranks.known = *std::move(known);
    ranks.peak_flops = PeaksOf(ranks.known.gpu_models);
  }
  return absl::OkStatus();
}

bool Planner::Matches(const LabelSet& labels) const {
  return std::ranges::all_of(selection_.matchers, [&labels](const Matcher& matcher) {
    return matcher.Matches(labels.Get(matcher.name()));
  });
}

// Empty for a series that does not determine the MFU or is not selected.
std::optional<ScaledSeries> Planner::Scaled(const LabelSet& stored) const {
  const auto job = ranks_.find(stored.Get("job"));
  const std::optional<catalogue::NameRole> name = RoleOf(stored);
  if (job == ranks_.end() || !name.has_value()) return {};
  if (name->role != catalogue::Role::kTrainFlopsPerSecondPerGpu) return {};
  if (name->stored != catalogue::Stored::kGauge) return {};
  const auto& [known, peak_flops] = job->second;
  const std::optional<size_t> row = known.RowOf(OriginOf(stored));
  if (!row.has_value() || !peak_flops[*row].has_value()) return {};
  LabelSet labels = MfuLabels(job->first, known.places[*row]);
  if (!Matches(labels)) return {};
  return ScaledSeries{std::move(labels), name->factor / *peak_flops[*row]};
}

absl::StatusOr<Plan> Planner::Read(std::span<const Matcher> matchers) const {
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set, context_.querier.Select({matchers, selection_.range, &context_.budget}));
  Plan plan;
  while (set->Next()) {
    ++plan.stored_count;
    std::optional<ScaledSeries> series = Scaled(set->labels());
    if (!series.has_value()) continue;
    plan.ranks.emplace(set->labels().Get("rank"));
    plan.series.push_back(*std::move(series));
  }
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  return plan;
}

bool HasTwins(const std::vector<ScaledSeries>& series) {
  std::set<LabelSet> seen;
  return std::ranges::any_of(
      series, [&seen](const ScaledSeries& one) { return !seen.insert(one.labels).second; });
}

absl::StatusOr<std::unique_ptr<SeriesSet>> Planner::Select() {
  if (jobs_.empty()) return nullptr;
  LOCKSTEP_ASSIGN_OR_RETURN(const bool reports_operations, ReportOperations());
  if (reports_operations) return nullptr;
  LOCKSTEP_RETURN_IF_ERROR(FindRanksOfJobs());
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher of_jobs, OneOf("job", {jobs_.begin(), jobs_.end()}));
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, FlopsRateNames()));
  std::vector<Matcher> matchers = {std::move(of_jobs), std::move(names)};
  LOCKSTEP_ASSIGN_OR_RETURN(Plan plan, Read(matchers));
  if (plan.series.size() < plan.stored_count) {
    LOCKSTEP_ASSIGN_OR_RETURN(Matcher of_ranks, OneOf("rank", plan.ranks));
    matchers.push_back(std::move(of_ranks));
    LOCKSTEP_ASSIGN_OR_RETURN(plan, Read(matchers));
  }
  // The selection includes a rank of one job but not the same rank of another.
  if (plan.series.size() < plan.stored_count || HasTwins(plan.series)) return nullptr;
  // Finding where a value ends takes more than the newest sample.
  const SamplesNeeded needed =
      selection_.needed == SamplesNeeded::kNewest ? SamplesNeeded::kAll : selection_.needed;
  LOCKSTEP_ASSIGN_OR_RETURN(
      std::unique_ptr<SeriesSet> stored,
      context_.querier.Select({matchers, selection_.range, selection_.budget, needed}));
  return NewScaledSeriesSet(std::move(stored), std::move(plan.series), selection_.range.max_ms);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> JobsWithOperations(std::span<const std::string> jobs,
                                                            const Selection& selection,
                                                            const LoadContext& context) {
  std::vector<std::string> with;
  if (jobs.empty()) return with;
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher of_jobs, OneOf("job", {jobs.begin(), jobs.end()}));
  LOCKSTEP_ASSIGN_OR_RETURN(
      Matcher names, RememberedRegexMatcher(kMetricName, absl::StrFormat("%s|%s", ModelFlopsNames(),
                                                                         FlopsRateNames())));
  const std::vector<Matcher> matchers = {std::move(of_jobs), std::move(names)};
  return context.querier.LabelValues("job", {matchers, selection.range, &context.budget});
}

absl::StatusOr<std::unique_ptr<SeriesSet>> SelectReportedMfu(std::span<const std::string> jobs,
                                                             const Selection& selection,
                                                             const LoadContext& context) {
  return Planner(jobs, selection, context).Select();
}

LabelSet MfuLabels(std::string_view job, const training::RankPlace& place) {
  return LabelsOfRank("lockstep_mfu", job, place, {{"convention", "reported"}, {"dtype", "bf16"}});
}

std::optional<double> MfuPeakFlops(std::string_view gpu_model) {
  const training::GpuMatch match = training::FindGpu(gpu_model);
  if (match.model == nullptr || match.is_partition) return std::nullopt;
  return match.model->PeakFlops(training::Precision::kBf16);
}

}  // namespace lockstep::answers
