#include "answers/lemons.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/lateness_cache.h"
#include "answers/load/job_list.h"
#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/storage.h"

namespace lockstep::answers {
namespace {

constexpr size_t kFewestRanks = 4;
// What a rank of the history takes, in samples of the budget.
constexpr int64_t kSamplesOfRank = 16;

// Loads attempts, or finds what is known of them.
class HistoryReader {
 public:
  HistoryReader(const LemonQuestion& question, const LoadContext& load,
                const QuestionContext& context)
      : question_(question), load_(load), context_(context) {}

  absl::Status Add(const ListedJob& job, size_t attempt, FleetLemons& found) {
    LOCKSTEP_RETURN_IF_ERROR(load_.budget.Check());
    const TimeRange& time = job.attempts[attempt].time;
    JobLatenessPtr lateness = context_.lateness == nullptr
                                  ? nullptr
                                  : context_.lateness->Find(job.job.name, attempt, time.max_ms);
    if (lateness == nullptr) {
      const absl::StatusOr<JobLatenessPtr> loaded = Load(job, attempt);
      // One job that is too large for a query is no reason to say nothing of the others.
      if (absl::IsResourceExhausted(loaded.status())) {
        ++found.incomparable_count;
        return absl::OkStatus();
      }
      LOCKSTEP_ASSIGN_OR_RETURN(lateness, loaded);
      if (context_.lateness != nullptr) context_.lateness->Keep(time.max_ms, lateness);
    }
    if (lateness->ranks.empty()) {
      ++found.incomparable_count;
      return absl::OkStatus();
    }
    LOCKSTEP_RETURN_IF_ERROR(
        load_.budget.Charge(kSamplesOfRank * static_cast<int64_t>(lateness->ranks.size())));
    found.history.push_back(*lateness);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<JobLatenessPtr> Load(const ListedJob& job, size_t attempt) const {
    auto lateness = std::make_shared<training::JobLateness>();
    lateness->job = job.job.name;
    lateness->attempt = attempt;
    lateness->time = job.attempts[attempt].time;
    if (job.job.ranks.size() < kFewestRanks) return lateness;
    const JobQuestion about{.name = job.job.name, .time = question_.time, .attempt = attempt};
    LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob loaded,
                              LoadJob(QueryOf(about, {.phases = true}, context_.now_ms), load_));
    lateness->ranks =
        training::LatenessOf(loaded.job, loaded.steps, loaded.gpu_models, &load_.pool);
    load_.budget.Release(loaded.held_samples);
    return lateness;
  }

  const LemonQuestion& question_;
  const LoadContext& load_;
  const QuestionContext& context_;
};

bool IsRunning(const ListedJob& job) {
  return job.condition.state == training::JobState::kRunning ||
         job.condition.state == training::JobState::kStalled;
}

}  // namespace

absl::StatusOr<FleetLemons> AnswerLemons(const LemonQuestion& question,
                                         const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const LoadContext load{*querier, context.pool, context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<ListedJob> jobs,
      ListJobs({.time = question.time, .now_ms = context.now_ms, .exclude_verdicts = true}, load));
  FleetLemons found;
  HistoryReader reader(question, load, context);
  for (const ListedJob& job : jobs) {
    size_t ended = job.attempts.size();
    if (ended > 0 && IsRunning(job)) {
      --ended;
      ++found.running_count;
    }
    for (size_t attempt = 0; attempt < ended; ++attempt) {
      const TimeRange& time = job.attempts[attempt].time;
      if (time.min_ms < question.time.min_ms || time.max_ms > question.time.max_ms) continue;
      LOCKSTEP_RETURN_IF_ERROR(reader.Add(job, attempt, found));
    }
  }
  for (const training::JobLateness& job : found.history) {
    if (&job == &found.history.front()) found.time = job.time;
    found.time.min_ms = std::min(found.time.min_ms, job.time.min_ms);
    found.time.max_ms = std::max(found.time.max_ms, job.time.max_ms);
  }
  found.answer = training::FindLemons(found.history);
  return found;
}

std::string WordsOf(const training::Lemon& lemon) {
  constexpr double kOneInAMillion = 1e-6;
  const bool is_gpu = lemon.kind == training::Lemon::Kind::kGpu;
  const std::string fleets =
      lemon.by_chance < kOneInAMillion
          ? "fewer than one fleet of this size in a million"
          : absl::StrFormat("one fleet of this size in %.0f", 1 / lemon.by_chance);
  std::string words = absl::StrFormat(
      "late by %.1f %% in %d jobs, the slowest %s in %d of them; by chance, %s would have one as "
      "slow",
      100 * lemon.late_ratio, lemon.jobs, is_gpu ? "of its peers" : "host", lemon.slowest_in,
      fleets);
  if (!lemon.doubt.empty()) words += ". In doubt: " + lemon.doubt;
  return words;
}

}  // namespace lockstep::answers
