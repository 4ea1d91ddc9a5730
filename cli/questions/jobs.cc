#include <algorithm>
#include <cmath>

#include "cli/client/ask.h"
#include "cli/questions/missing_jobs.h"
#include "cli/questions/questions.h"
#include "cli/questions/say.h"
#include "cli/terminal/sheet.h"
#include "cli/terminal/time_text.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

// Later jobs show only what the job list contains, because each job's figures take three more
// requests.
constexpr size_t kJobsWithFigures = 16;
// The figures describe at most this much of the end of a job.
constexpr double kLongestS = 3600;

const std::vector<SheetColumn> kColumns = {
    {"job", "job"},
    {"state", "state"},
    {"ranks", "ranks"},
    {"last_step", "step"},
    {"step_seconds", "step ms", 1e3, 1},
    {"mfu", "MFU %", 100, 1},
    {"goodput", "goodput %", 100, 1},
    {"verdict", "verdict"},
    {"straggler", "rank"},
    {"cause", "cause"},
    {"late", "late %", 100, 1},
    {"until", "until"},
};

// For one job; values missing from the responses stay unknown.
struct Figures {
  double step_seconds = NAN;
  double mfu = NAN;
  double goodput = NAN;
  double rank = NAN;
  std::string cause;
  double late = NAN;
};

std::vector<Parameter> EndOfJob(element job) {
  const double end = NumberAt(job, "/to");
  const double start = std::max(NumberAt(job, "/from"), end - kLongestS);
  return {{"job", TextAt(job, "/job")}, {"start", SecondsText(start)}, {"end", SecondsText(end)}};
}

absl::StatusOr<Figures> FiguresOf(HttpClient& client, element job) {
  const std::vector<Parameter> about = EndOfJob(job);
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer mfu, Ask(client, "/api/v1/training/mfu", about));
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer ledger, Ask(client, "/api/v1/training/ledger", about));
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer late, Ask(client, "/api/v1/training/stragglers", about));
  Figures figures;
  figures.step_seconds = NumberAt(mfu.data(), "/step_seconds");
  figures.mfu = NumberAt(mfu.data(), "/mfu");
  figures.goodput = NumberAt(ledger.data(), "/goodput");
  figures.rank = NumberAt(late.data(), "/ranks/0/rank");
  figures.cause = TextAt(late.data(), "/ranks/0/cause");
  figures.late = NumberAt(late.data(), "/ranks/0/score");
  return figures;
}

std::vector<SheetCell> RowOf(element job, const Figures& figures) {
  return {TextAt(job, "/job"),
          TextAt(job, "/state"),
          KnownNumber(NumberAt(job, "/world_size")),
          KnownNumber(NumberAt(job, "/last_step")),
          KnownNumber(figures.step_seconds),
          KnownNumber(figures.mfu),
          KnownNumber(figures.goodput),
          TextAt(job, "/verdict"),
          KnownNumber(figures.rank),
          figures.cause,
          KnownNumber(figures.late),
          WhenText(NumberAt(job, "/to"))};
}

absl::StatusOr<Sheet> JobsSheet(HttpClient& client, const JobsFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer answer, Ask(client, "/api/v1/training/jobs",
                                                     {{"start", flags.start}, {"end", flags.end}}));
  Sheet sheet{kColumns, {}};
  for (const element job : ListAt(answer.data(), "/jobs")) {
    Figures figures;
    if (sheet.rows.size() < kJobsWithFigures) {
      LOCKSTEP_ASSIGN_OR_RETURN(figures, FiguresOf(client, job));
    }
    sheet.rows.push_back(RowOf(job, figures));
  }
  return sheet;
}

}  // namespace

ExitCode ListJobs(const JobsFlags& flags) {
  return SayPage(flags.server, flags.form, [&](HttpClient& client) -> absl::StatusOr<Page> {
    LOCKSTEP_ASSIGN_OR_RETURN(Sheet sheet, JobsSheet(client, flags));
    const bool has_times = !flags.start.empty() || !flags.end.empty();
    std::string headline = sheet.rows.empty() ? WhyNoJobs(client, has_times) : "";
    return Page{std::move(headline), std::move(sheet)};
  });
}

}  // namespace lockstep::cli
