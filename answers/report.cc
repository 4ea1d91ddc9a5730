#include "answers/report.h"

#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::answers {
namespace {

using training::LedgerBin;
using training::StragglerVerdict;

std::string Percent(double share) {
  return std::isfinite(share) ? absl::StrFormat("%.1f %%", 100 * share) : "unknown";
}

std::string Duration(double seconds) {
  if (!std::isfinite(seconds)) return "an unknown time";
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
  const double seconds =
      static_cast<double>(findings.job->time.to_ms - findings.job->time.from_ms) / 1000;
  words += absl::StrFormat(", %s in %s, %s.", Counted(findings.job->steps.size(), "step", "steps"),
                           Duration(seconds), Name(job.condition.state));
  ReportSection section{"Job", {words}, {}};
  if (job.verdict.has_value()) {
    section.sentences.push_back(
        absl::StrFormat("Verdict: %s. %s", Name(job.verdict->verdict), job.verdict->sentence));
  }
  if (job.attempts.size() > 1) {
    section.sentences.push_back(absl::StrFormat("It was started %d times.", job.attempts.size()));
  }
  for (const std::string& warning : job.warnings) {
    section.sentences.push_back(absl::StrFormat("Take note: %s.", warning));
  }
  return section;
}

std::string_view CauseWords(const training::SlowRankFinding& finding) {
  switch (finding.cause) {
    case training::StragglerCause::kLoader:
      return "it waits for its input";
    case training::StragglerCause::kHostToDevice:
      return "copies from its host take long";
    case training::StragglerCause::kNetwork:
      return "its network is slow";
    case training::StragglerCause::kNode:
      return "all GPUs of its host are late";
    case training::StragglerCause::kGpu:
      return finding.gpu_reason == training::GpuReason::kMoreWork
                 ? "its GPU has more work than the others"
                 : "its GPU is slow";
    default:
      return "the cause is not known";
  }
}

std::string SlowRankWords(const JobFindings& findings, const training::SlowRankFinding& finding) {
  const training::StragglerEpisode& first = finding.episodes.front();
  std::string since;
  if (first.first_step.has_value()) since = absl::StrFormat(" since step %d", *first.first_step);
  return absl::StrFormat("%s is late by %s of a step%s: %s. The job lost %s to it.",
                         PlaceWords(findings.job->job.ranks[finding.row]), Percent(finding.score),
                         since, CauseWords(finding), Duration(finding.lost_seconds));
}

ReportSection Stragglers(const JobFindings& findings) {
  const training::StragglerAnswer& answer = findings.stragglers;
  ReportSection section{"Stragglers", {}, {}};
  for (const training::SlowRankFinding& finding : answer.ranks) {
    section.sentences.push_back(SlowRankWords(findings, finding));
  }
  switch (answer.verdict) {
    case StragglerVerdict::kSlowRank:
      section.sentences.push_back(absl::StrFormat(
          "Steps take %s now and would take %s without; over all GPUs that is a loss of %s.",
          Duration(answer.what_if.step_seconds_now), Duration(answer.what_if.step_seconds_without),
          Duration(answer.lost_gpu_seconds)));
      break;
    case StragglerVerdict::kUnevenWork:
      section.sentences.emplace_back(
          "Work is spread unevenly: another rank is the slowest each time, and no machine is to "
          "blame.");
      break;
    case StragglerVerdict::kStageImbalance:
      section.sentences.emplace_back("One pipeline stage has more to do than the others.");
      break;
    case StragglerVerdict::kJobSlowAll:
      section.sentences.emplace_back("Steps became longer, and no rank stands out.");
      break;
    case StragglerVerdict::kNone:
      section.sentences.emplace_back("No rank holds the job back.");
      break;
    case StragglerVerdict::kUndersampled:
      section.sentences.emplace_back("Samples are too far apart to see stragglers.");
      break;
    case StragglerVerdict::kNoData:
      section.sentences.emplace_back("There is too little data to tell.");
      break;
  }
  section.sentences.push_back(absl::StrFormat("Found by: %s.", Name(answer.method)));
  return section;
}

ReportSection Bottlenecks(const JobFindings& findings) {
  const training::BottleneckAnswer& answer = findings.bottlenecks;
  ReportSection section{"Bottlenecks", {}, {}};
  section.sentences.push_back(
      absl::StrFormat("The job is %s. %s", Name(answer.verdict), Advice(answer.verdict)));
  // More rows than this are no report any more.
  constexpr size_t kMostRows = 32;
  section.table.push_back({"rank", "gpu", "class", "share", "flags"});
  for (const training::GpuBottleneck& gpu : answer.gpus) {
    if (section.table.size() > kMostRows) break;
    const training::RankPlace& place = findings.job->job.ranks[gpu.row];
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
  const training::EfficiencyAnswer& answer = findings.efficiency;
  ReportSection section{"Efficiency", {}, {}};
  if (std::isfinite(answer.mfu)) {
    section.sentences.push_back(absl::StrFormat("MFU is %s (operations: %s; dense peak of %s).",
                                                Percent(answer.mfu), Name(answer.convention),
                                                answer.gpu_model));
  } else if (!answer.reason.empty()) {
    section.sentences.push_back(absl::StrFormat("MFU is not known: %s.", answer.reason));
  } else {
    section.sentences.emplace_back(
        "MFU is not known: nobody says how many operations a step takes.");
  }
  if (std::isfinite(answer.tflops_per_gpu)) {
    section.sentences.push_back(absl::StrFormat("A GPU does %.4g TFLOP/s; a step takes %s.",
                                                answer.tflops_per_gpu,
                                                Duration(answer.step_seconds)));
  }
  if (std::isfinite(answer.tokens_per_second)) {
    section.sentences.push_back(absl::StrFormat("%.0f tokens a second, %.0f so far.",
                                                answer.tokens_per_second, answer.consumed_tokens));
  }
  return section;
}

ReportSection LedgerSection(const JobFindings& findings) {
  const training::Ledger& ledger = findings.ledger;
  ReportSection section{"Ledger", {}, {}};
  section.sentences.push_back(absl::StrFormat("%s of GPU time were bought; goodput is %s.",
                                              Duration(ledger.Total()), Percent(ledger.Goodput())));
  if (findings.bill.has_value()) {
    section.sentences.push_back(absl::StrFormat(
        "They cost %.2f%s%s, of which %.2f were wasted.", findings.bill->cost,
        findings.currency.empty() ? "" : " ", findings.currency, findings.bill->wasted_cost));
  }
  if (std::isfinite(findings.energy.joules)) {
    section.sentences.push_back(
        absl::StrFormat("Energy: %.4g kWh.", findings.energy.joules / 3.6e6));
  }
  if (findings.stragglers.verdict == StragglerVerdict::kSlowRank) {
    section.sentences.emplace_back(
        "straggler_wait is the time that ranks waited for later ones, in every step; the late "
        "rank's own extra time counts as productive.");
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
  if (findings.events.empty()) {
    section.sentences.emplace_back("Nothing happened.");
    return section;
  }
  section.table.push_back({"kind", "step", "ranks", "lasted", "meaning"});
  for (const training::Event& event : findings.events) {
    std::string ranks;
    for (const size_t row : event.rows) {
      if (!ranks.empty()) ranks += ", ";
      ranks += absl::StrFormat("%d", findings.job->job.ranks[row].rank);
    }
    section.table.push_back(
        {std::string(Name(event.kind)),
         event.step.has_value() ? absl::StrFormat("%d", *event.step) : "", ranks,
         Duration(static_cast<double>(event.time.to_ms - event.time.from_ms) / 1000), event.words});
  }
  return section;
}

}  // namespace

std::vector<ReportSection> ReportOf(const JobFindings& findings) {
  return {Summary(findings),    Stragglers(findings),    Bottlenecks(findings),
          Efficiency(findings), LedgerSection(findings), Events(findings)};
}

}  // namespace lockstep::answers
