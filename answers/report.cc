#include "answers/report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/job_loader.h"
#include "answers/verdict.h"
#include "base/status.h"
#include "storage/storage.h"

namespace lockstep::answers {
namespace {

using training::LedgerBin;
using training::StragglerVerdict;

std::string Percent(double share) {
  return std::isfinite(share) ? absl::StrFormat("%.1f %%", 100 * share) : "unknown";
}

std::string Duration(double seconds) {
  if (!std::isfinite(seconds)) return "an unknown amount";
  if (seconds < 120) return absl::StrFormat("%.3g s", seconds);
  if (seconds < 7200) return absl::StrFormat("%.1f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

std::string Counted(size_t count, std::string_view one, std::string_view many) {
  return absl::StrFormat("%d %s", count, count == 1 ? one : many);
}

std::string PlaceWords(const training::RankPlace& place) {
  std::string words = absl::StrFormat("Rank %d", place.rank);
  if (place.host.empty() && place.gpu.empty()) return words;
  std::string where = place.host;
  if (!place.gpu.empty()) {
    if (!where.empty()) where += ", ";
    where += absl::StrFormat("GPU %s", place.gpu);
  }
  return absl::StrFormat("%s (%s)", words, where);
}

ReportSection Summary(const JobFindings& findings) {
  const ListedJob& job = findings.summary;
  std::set<std::string> hosts;
  for (const training::RankPlace& place : job.job.ranks) {
    if (!place.host.empty()) hosts.insert(place.host);
  }
  std::string words =
      absl::StrFormat("%s: %s", job.job.name, Counted(job.job.ranks.size(), "rank", "ranks"));
  if (!job.gpu_models.empty() && !job.gpu_models.front().empty()) {
    words += absl::StrFormat(" on %s", job.gpu_models.front());
  }
  if (!hosts.empty()) words += absl::StrFormat(", %s", Counted(hosts.size(), "host", "hosts"));
  const TimeRange& time = findings.subject.time;
  const double seconds = static_cast<double>(time.max_ms - time.min_ms) / 1000;
  words += absl::StrFormat(", %s in %s, %s.", Counted(findings.step_count, "step", "steps"),
                           Duration(seconds), Name(job.condition.state));
  ReportSection section{"Job", {words}, {}};
  if (job.verdict.has_value()) {
    section.sentences.push_back(
        absl::StrFormat("Verdict: %s. %s", Name(job.verdict->verdict), job.verdict->sentence));
  }
  if (job.attempts.size() > 1) {
    section.sentences.push_back(absl::StrFormat("It started %d times.", job.attempts.size()));
  }
  for (const std::string& warning : job.warnings) {
    section.sentences.push_back(absl::StrFormat("Warning: %s.", warning));
  }
  return section;
}

std::string_view CauseWords(const training::SlowRankFinding& finding) {
  switch (finding.cause) {
    case training::StragglerCause::kLoader:
      return "it waits for its input";
    case training::StragglerCause::kHostToDevice:
      return "copies from its host are slow";
    case training::StragglerCause::kNetwork:
      return "its network is slow";
    case training::StragglerCause::kNode:
      return "all GPUs of its host are late";
    case training::StragglerCause::kGpu:
      return finding.gpu_reason == training::GpuReason::kMoreWork
                 ? "its GPU does more work than the others"
                 : "its GPU is slow";
    default:
      return "the cause is unknown";
  }
}

std::string SlowRankWords(const JobFindings& findings, const training::SlowRankFinding& finding) {
  const training::StragglerEpisode& first = finding.episodes.front();
  std::string since;
  if (first.first_step.has_value()) {
    since = absl::StrFormat(" from step %d on", *first.first_step);
  }
  return absl::StrFormat("%s is late by %s of a step%s: %s. It cost the job %s.",
                         PlaceWords(findings.subject.job.ranks[finding.row]),
                         Percent(finding.score), since, CauseWords(finding),
                         Duration(finding.lost_seconds));
}

ReportSection Stragglers(const JobFindings& findings) {
  const training::StragglerAnswer& answer = findings.stragglers.answer;
  ReportSection section{"Stragglers", {}, {}};
  for (const training::SlowRankFinding& finding : answer.ranks) {
    section.sentences.push_back(SlowRankWords(findings, finding));
  }
  switch (answer.verdict) {
    case StragglerVerdict::kSlowRank:
      section.sentences.push_back(absl::StrFormat(
          "Steps take %s now and would take %s without stragglers: a loss of %s of GPU time.",
          Duration(answer.what_if.step_seconds_now), Duration(answer.what_if.step_seconds_without),
          Duration(answer.lost_gpu_seconds)));
      break;
    case StragglerVerdict::kUnevenWork:
      section.sentences.emplace_back(
          "Work is uneven: a different rank is slowest each time, so no machine is to blame.");
      break;
    case StragglerVerdict::kStageImbalance:
      section.sentences.emplace_back("One pipeline stage has more work than the others.");
      break;
    case StragglerVerdict::kJobSlowAll:
      section.sentences.emplace_back("Steps became slower, and no rank stands out.");
      break;
    case StragglerVerdict::kNone:
      section.sentences.emplace_back("No rank holds the job back.");
      break;
    case StragglerVerdict::kUndersampled:
      section.sentences.emplace_back("Samples are too far apart to see stragglers.");
      break;
    case StragglerVerdict::kNoData:
      section.sentences.emplace_back("There is too little data to find stragglers.");
      break;
  }
  section.sentences.push_back(absl::StrFormat("Method: %s.", Name(answer.method)));
  return section;
}

ReportSection Bottlenecks(const JobFindings& findings) {
  const training::BottleneckAnswer& answer = findings.bottlenecks.answer;
  ReportSection section{"Bottlenecks", {}, {}};
  section.sentences.push_back(
      absl::StrFormat("The job is %s. %s", Name(answer.verdict), Advice(answer.verdict)));
  // A report with more rows than this is unreadable.
  constexpr size_t kMostRows = 32;
  section.table.push_back({"rank", "gpu", "class", "share", "flags"});
  for (const training::GpuBottleneck& gpu : answer.gpus) {
    if (section.table.size() > kMostRows) break;
    const training::RankPlace& place = findings.subject.job.ranks[gpu.row];
    std::string flags;
    for (const training::BottleneckFlag flag : gpu.flags) {
      if (!flags.empty()) flags += ", ";
      flags += Name(flag);
    }
    section.table.push_back({absl::StrFormat("%d", place.rank), place.gpu,
                             std::string(Name(gpu.bottleneck)),
                             Percent(gpu.share[static_cast<size_t>(gpu.bottleneck)]), flags});
  }
  if (section.table.size() == 1) section.table.clear();
  return section;
}

ReportSection Efficiency(const JobFindings& findings) {
  const training::EfficiencyAnswer& answer = findings.efficiency.answer;
  ReportSection section{"Efficiency", {}, {}};
  if (std::isfinite(answer.mfu)) {
    section.sentences.push_back(absl::StrFormat("MFU is %s (operations: %s; dense peak of %s).",
                                                Percent(answer.mfu), Name(answer.convention),
                                                answer.gpu_model));
  } else if (!answer.reason.empty()) {
    section.sentences.push_back(absl::StrFormat("MFU is unknown: %s.", answer.reason));
  } else {
    section.sentences.emplace_back("MFU is unknown: the operations per step are not reported.");
  }
  if (std::isfinite(answer.tflops_per_gpu)) {
    section.sentences.push_back(absl::StrFormat("Each GPU does %.4g TFLOP/s; a step takes %s.",
                                                answer.tflops_per_gpu,
                                                Duration(answer.step_seconds)));
  }
  if (std::isfinite(answer.tokens_per_second)) {
    section.sentences.push_back(absl::StrFormat("%.0f tokens/s, %.0f tokens so far.",
                                                answer.tokens_per_second, answer.consumed_tokens));
  }
  return section;
}

ReportSection LedgerSection(const JobFindings& findings) {
  const JobLedger& found = findings.ledger;
  const training::Ledger& ledger = found.ledger;
  ReportSection section{"Ledger", {}, {}};
  section.sentences.push_back(absl::StrFormat("GPU time: %s in total; goodput: %s.",
                                              Duration(ledger.Total()), Percent(ledger.Goodput())));
  if (found.bill.has_value()) {
    section.sentences.push_back(absl::StrFormat("It cost %.2f%s%s, of which %.2f was wasted.",
                                                found.bill->cost, found.currency.empty() ? "" : " ",
                                                found.currency, found.bill->wasted_cost));
  }
  if (std::isfinite(found.energy.joules)) {
    section.sentences.push_back(absl::StrFormat("Energy: %.4g kWh.", found.Kwh()));
  }
  if (findings.stragglers.answer.verdict == StragglerVerdict::kSlowRank) {
    section.sentences.emplace_back(
        "straggler_wait is the time that ranks spent waiting for slower ranks, over all steps; the "
        "extra time of the slow rank itself counts as productive.");
  }
  section.table.push_back({"bin", "GPU time", "share"});
  for (size_t i = 0; i < training::kLedgerBinCount; ++i) {
    const auto bin = static_cast<LedgerBin>(i);
    if (ledger[bin] <= 0) continue;
    section.table.push_back(
        {std::string(Name(bin)), Duration(ledger[bin]), Percent(ledger[bin] / ledger.Total())});
  }
  return section;
}

ReportSection Events(const JobFindings& findings) {
  ReportSection section{"Events", {}, {}};
  if (findings.events.events.empty()) {
    section.sentences.emplace_back("No events.");
    return section;
  }
  section.table.push_back({"kind", "step", "ranks", "duration", "meaning"});
  for (const training::Event& event : findings.events.events) {
    std::string ranks;
    for (const size_t row : event.rows) {
      if (!ranks.empty()) ranks += ", ";
      ranks += absl::StrFormat("%d", findings.subject.job.ranks[row].rank);
    }
    section.table.push_back(
        {std::string(Name(event.kind)),
         event.step.has_value() ? absl::StrFormat("%d", *event.step) : "", ranks,
         Duration(static_cast<double>(event.time.max_ms - event.time.min_ms) / 1000), event.words});
  }
  return section;
}

// Says what to do about a job of which one query cannot hold all data.
absl::Status Advised(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s. A report needs all data of a job at once: limit it with start and end, or to an "
      "attempt, "
      "or request its parts (stragglers, bottlenecks, mfu, ledger, events) one by one",
      Message(status)));
}

// A table has a line for each row.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

ReportSection Annotations(const JobFindings& findings) {
  ReportSection section{"Annotations", {}, {{"kind", "step", "duration", "text"}}};
  for (const annotations::AnnotationPtr& annotation : findings.events.annotations) {
    const TimeRange time = TimeOf(*annotation, findings.events.now_ms);
    const std::optional<int64_t>& step = annotation->first_step;
    section.table.push_back({annotation->kind, step.has_value() ? absl::StrFormat("%d", *step) : "",
                             Duration(static_cast<double>(time.max_ms - time.min_ms) / 1000),
                             OneLine(annotation->text)});
  }
  return section;
}

// The job as in the list of jobs; its verdict is about the last attempt. If the report may be about
// an earlier one, the last one is judged, and released, on its own.
absl::StatusOr<ListedJob> SummaryOf(const ReportQuestion& question, const QuestionContext& context,
                                    const LoadContext& load) {
  const JobListQuery query{.name = question.job.name,
                           .time = question.job.time,
                           .now_ms = context.now_ms,
                           .exclude_verdicts = !question.job.attempt.has_value()};
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<ListedJob> listed, ListJudgedJobs(query, load));
  return listed.empty() ? ListedJob() : std::move(listed.front());
}

absl::StatusOr<JobFindings> FindAll(const ReportQuestion& question,
                                    const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const LoadContext load{*querier, context.pool, context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(ListedJob summary, SummaryOf(question, context, load));
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::vector<LoadedJob> attempts,
      LoadAttempts(QueryOf(question.job, JobNeeds::Everything(), context.now_ms), load));
  const LoadedJob& job = attempts.back();
  const bool is_listed = !summary.job.name.empty();
  if (is_listed && !question.job.attempt.has_value()) {
    summary.verdict =
        VerdictOf(job, job.time.max_ms, summary.condition.state, job.not_reporting, &context.pool);
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
  }
  JobFindings findings{.subject = SubjectOf(job), .step_count = job.steps.size()};
  findings.summary = std::move(summary);
  findings.stragglers = StragglersOf(job, FindStragglers(job, question.method, &context.pool),
                                     question.prices, context.pool);
  LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
  findings.bottlenecks = {SubjectOf(job), FindBottlenecks(job)};
  findings.efficiency = EfficiencyOf(job, question.efficiency);
  findings.ledger = LedgerOf(attempts, question.prices);
  LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
  findings.events = EventsOf(job, context.now_ms);
  findings.events.annotations = AnnotationsOf(job, question.job.time, context);
  return findings;
}

}  // namespace

absl::StatusOr<JobFindings> AnswerReport(const ReportQuestion& question,
                                         const QuestionContext& context) {
  absl::StatusOr<JobFindings> findings = FindAll(question, context);
  if (findings.ok()) return findings;
  return Advised(findings.status());
}

std::vector<ReportSection> ReportOf(const JobFindings& findings) {
  std::vector<ReportSection> sections = {Summary(findings),       Stragglers(findings),
                                         Bottlenecks(findings),   Efficiency(findings),
                                         LedgerSection(findings), Events(findings)};
  if (!findings.hang.empty()) sections.push_back({"Hang", findings.hang, {}});
  if (!findings.events.annotations.empty()) sections.push_back(Annotations(findings));
  return sections;
}

}  // namespace lockstep::answers
