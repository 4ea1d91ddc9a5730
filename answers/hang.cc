#include "answers/hang.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/job_list.h"
#include "answers/load/job_loader.h"
#include "base/status.h"
#include "base/utc_text.h"
#include "hang/find/find_hang.h"
#include "hang/find/hang_words.h"
#include "storage/storage.h"

namespace lockstep::answers {
namespace {

std::optional<ReportedSteps> ReportedStepsOf(const LoadedJob& job) {
  std::optional<ReportedSteps> steps;
  for (size_t row = 0; row < job.reports.size(); ++row) {
    const std::optional<int64_t> last = job.reports[row].progress.last_step;
    if (!last.has_value()) continue;
    if (!steps.has_value()) steps = ReportedSteps{{}, *last, *last};
    if (*last < steps->lowest_step) {
      steps->lowest_step = *last;
      steps->first_to_stop.clear();
    }
    steps->highest_step = std::max(steps->highest_step, *last);
    if (*last == steps->lowest_step) steps->first_to_stop.push_back(job.job.ranks[row].rank);
  }
  // All stopped at one step, which says nothing about who was first.
  if (steps.has_value() && steps->lowest_step == steps->highest_step) steps->first_to_stop.clear();
  return steps;
}

std::vector<int32_t> Numbers(const std::vector<int64_t>& ranks) {
  std::vector<int32_t> numbers;
  for (const int64_t rank : ranks) {
    if (rank >= 0 && rank <= hang::kMaxRank) numbers.push_back(static_cast<int32_t>(rank));
  }
  std::ranges::sort(numbers);
  return numbers;
}

// Since when no step ends; "" for a job that runs, or whose steps nobody reported.
std::string StandstillWords(const JobHang& found) {
  if (found.condition.state == training::JobState::kRunning || !found.newest_step_ms.has_value()) {
    return "";
  }
  std::string words =
      absl::StrFormat("The last step ended at %s.", Rfc3339Text(*found.newest_step_ms));
  if (found.steps.has_value() && !found.steps->first_to_stop.empty()) {
    absl::StrAppendFormat(&words, " %s %s reported steps up to %d, others up to %d.",
                          found.steps->first_to_stop.size() == 1 ? "Rank" : "Ranks",
                          hang::RankList(Numbers(found.steps->first_to_stop)),
                          found.steps->lowest_step, found.steps->highest_step);
  }
  return words;
}

// The job's series may be unknown: a dump needs none.
absl::Status AddReported(const JobQuestion& question, const QuestionContext& context,
                         std::vector<int32_t>& ranks, JobHang& found) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const LoadContext load{*querier, context.pool, context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<ListedJob> listed,
      ListJobs({question.name, question.time, context.now_ms, {}, true}, load));
  if (listed.empty()) return absl::NotFoundError("no series");
  found.condition = listed.front().condition;
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job,
                            LoadJob(QueryOf(question, JobNeeds(), context.now_ms), load));
  if (job.newest_ms > 0) found.newest_step_ms = job.newest_ms;
  found.steps = ReportedStepsOf(job);
  std::vector<int64_t> known;
  for (const training::RankPlace& place : job.job.ranks) known.push_back(place.rank);
  ranks = Numbers(known);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobHang> AnswerHang(const JobQuestion& question,
                                   const std::vector<hang::RankRecord>& records,
                                   const QuestionContext& context) {
  JobHang found;
  found.job = question.name;
  std::vector<int32_t> ranks;
  const absl::Status reported = AddReported(question, context, ranks, found);
  if (absl::IsNotFound(reported) && records.empty()) {
    return absl::NotFoundError(
        absl::StrFormat("no dumps and no data of job \"%s\"", question.name));
  }
  // In a report, the budget holds the job once already. The dumps explain most without its series.
  const bool does_not_fit = absl::IsResourceExhausted(reported) && !records.empty();
  if (!reported.ok() && !absl::IsNotFound(reported) && !does_not_fit) return reported;
  LOCKSTEP_ASSIGN_OR_RETURN(found.answer, hang::FindHang(records, ranks, &context.budget));
  if (does_not_fit) {
    found.answer.remarks.push_back(absl::StrFormat(
        "Ranks and steps that only the job's series know are left out: %s", Message(reported)));
  }
  found.sentence = found.answer.sentence;
  if (const std::string words = StandstillWords(found); !words.empty()) {
    found.sentence = absl::StrFormat("%s %s", words, found.sentence);
  }
  return found;
}

std::string HangText(const JobHang& found) {
  std::string text = hang::TextOf(found.job, found.answer);
  if (const std::string words = StandstillWords(found); !words.empty()) {
    absl::StrAppendFormat(&text, "%s\n", words);
  }
  return text;
}

}  // namespace lockstep::answers
