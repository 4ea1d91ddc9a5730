#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/questions/missing_jobs.h"
#include "cli/questions/questions.h"
#include "cli/questions/rank_rows.h"
#include "cli/questions/say.h"
#include "cli/terminal/time_text.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

// Requests more steps than are shown, because step records may end before the job's other data.
constexpr int kStepsAsked = 2 * static_cast<int>(kStepsShown);
// Averages counters over at least this time, because exporters sample only every 30 s or so.
constexpr double kShortestOfDevicesS = 60;
// A verdict covers at most this much of the end of the job.
constexpr double kLongestOfVerdictS = 3600;

constexpr const char* kCounters[] = {"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                                     "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP"};

// One page about one job.
class RanksQuestion {
 public:
  RanksQuestion(HttpClient& client, std::string name, element job)
      : client_(client),
        name_(std::move(name)),
        job_(job),
        from_s_(NumberAt(job, "/from")),
        to_s_(NumberAt(job, "/to")) {}

  absl::StatusOr<Page> Ask() {
    std::vector<RankRow> rows = RowsOfJob(job_);
    LOCKSTEP_ASSIGN_OR_RETURN(const double step_s, MedianStep());
    LOCKSTEP_ASSIGN_OR_RETURN(const Answer verdict, AskOf("stragglers", kLongestOfVerdictS, {}));
    AddVerdicts(verdict.data(), rows);
    const double shown_s = std::isnan(step_s) ? 0 : kStepsShown * step_s;
    for (const char* metric : {"step_seconds", "own_seconds"}) {
      if (std::isnan(step_s)) break;
      LOCKSTEP_RETURN_IF_ERROR(Draw(metric, 2 * shown_s, kStepsAsked, rows));
    }
    for (const char* counter : kCounters) {
      LOCKSTEP_RETURN_IF_ERROR(Draw(counter, std::max(shown_s, kShortestOfDevicesS), 1, rows));
    }
    return Page{Headline(step_s, verdict.data()), SheetOfRanks(std::move(rows))};
  }

 private:
  // Requests data about the last `seconds` of the job.
  absl::StatusOr<Answer> AskOf(std::string_view what, double seconds,
                               std::vector<Parameter> parameters) {
    parameters.push_back({"job", name_});
    parameters.push_back({"start", SecondsText(std::max(from_s_, to_s_ - seconds))});
    parameters.push_back({"end", SecondsText(to_s_)});
    return cli::Ask(client_, absl::StrFormat("/api/v1/training/%s", what), parameters);
  }

  // NaN if the job logs no steps.
  absl::StatusOr<double> MedianStep() {
    LOCKSTEP_ASSIGN_OR_RETURN(const Answer steps,
                              AskOf("steps", kLongestOfVerdictS, {{"points", "1"}}));
    const std::vector<element> attempts = ListAt(steps.data(), "/attempts");
    return attempts.empty() ? NAN : NumberAt(attempts.back(), "/pacing/median_seconds");
  }

  absl::Status Draw(std::string_view metric, double seconds, int bins, std::vector<RankRow>& rows) {
    LOCKSTEP_ASSIGN_OR_RETURN(const Answer picture, AskOf("heatmap", seconds,
                                                          {{"metric", std::string(metric)},
                                                           {"bins", std::to_string(bins)}}));
    AddPicture(picture.data(), rows);
    return absl::OkStatus();
  }

  // "straggler-gpu  ended  step 183  224.1 ms  slow_rank: rank 2 (gpu)  2026-11-21 06:23:15Z": the
  // job's verdict and the ranks that hold it back.
  std::string Headline(double step_s, element verdict) const {
    std::string line = absl::StrFormat("%s  %s", name_, TextAt(job_, "/state"));
    const double last_step = NumberAt(job_, "/last_step");
    if (!std::isnan(last_step)) absl::StrAppendFormat(&line, "  step %.0f", last_step);
    if (!std::isnan(step_s)) absl::StrAppendFormat(&line, "  %.1f ms", step_s * 1e3);
    absl::StrAppendFormat(&line, "  %s", TextAt(job_, "/verdict"));
    for (const element named : ListAt(verdict, "/ranks")) {
      absl::StrAppendFormat(&line, ": rank %.0f (%s)", NumberAt(named, "/rank"),
                            TextAt(named, "/cause"));
    }
    return absl::StrFormat("%s  %s\n", line, WhenText(to_s_));
  }

  HttpClient& client_;
  const std::string name_;
  const element job_;
  const double from_s_;
  const double to_s_;
};

absl::StatusOr<Page> AskForRanks(HttpClient& client, const RanksFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer answer,
                            Ask(client, "/api/v1/training/jobs",
                                {{"job", flags.job},
                                 {"start", flags.start.empty() ? "0" : flags.start},
                                 {"end", flags.end}}));
  const std::vector<element> jobs = ListAt(answer.data(), "/jobs");
  if (jobs.empty()) {
    return absl::NotFoundError(
        absl::StrFormat("no data for training job \"%s\" in that time range%s", flags.job,
                        AdviceOnMissingJob(client, flags.job)));
  }
  return RanksQuestion(client, flags.job, jobs.front()).Ask();
}

}  // namespace

ExitCode ShowRanks(const RanksFlags& flags) {
  return SayPage(flags.server, flags.form,
                 [&](HttpClient& client) { return AskForRanks(client, flags); });
}

}  // namespace lockstep::cli
