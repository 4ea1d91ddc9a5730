// Stragglers by the own time of ranks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/episodes/episode_scales.h"
#include "training/episodes/slow_rows.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/host_stalls.h"
#include "training/stragglers/own_time.h"
#include "training/stragglers/straggler_cause.h"
#include "training/stragglers/straggler_cost.h"
#include "training/stragglers/straggler_methods.h"
#include "training/stragglers/straggler_thresholds.h"
#include "training/stragglers/work_balance.h"

namespace lockstep::training {
namespace {

// Fewer steps give a precision of at most .9.
constexpr size_t kFewestSteps = 10;

// The number of columns in which some rank is known, capped at the number needed.
size_t KnownColumns(const RankMatrix& matrix) {
  size_t known = 0;
  for (size_t n = 0; n < matrix.columns() && known < kFewestSteps; ++n) {
    bool is_known = false;
    for (size_t row = 0; row < matrix.rows() && !is_known; ++row) {
      is_known = !std::isnan(matrix(row, n));
    }
    known += is_known ? 1 : 0;
  }
  return known;
}

SlowRankFinding FindingOf(const StepTable& table, const SlowRow& slow) {
  SlowRankFinding finding{.row = slow.row, .score = slow.level, .persistence = slow.persistence};
  for (const Episode& episode : slow.episodes) {
    finding.episodes.push_back(EpisodeAt(table, episode));
  }
  finding.evidence.push_back(
      {.signal = "own_time_excess",
       .value = slow.level,
       .reference = slow.baseline,
       .unit = "share of the step",
       .words = "above the peers' median in slow steps, against other steps"});
  return finding;
}

void SetRanks(const StragglerInput& input, const std::vector<std::vector<size_t>>& groups,
              const SlowRows& found, StragglerAnswer& answer) {
  for (const SlowRow& slow : found.rows) {
    SlowRankFinding finding = FindingOf(input.steps, slow);
    SetCauseFromPhases(answer.method, input.steps, groups, found, slow, finding);
    SetCauseFromDevices(input.devices, GroupOf(groups, slow.row), finding);
    answer.ranks.push_back(std::move(finding));
  }
}

void AddBalance(const WorkBalance& balance, std::vector<StragglerVerdict>& verdicts,
                StragglerAnswer& answer) {
  constexpr double kSameRank = 0.6;
  answer.evidence.push_back({.signal = "spread",
                             .value = balance.spread,
                             .reference = kUnevenSpread,
                             .unit = "ratio",
                             .words = "slowest rank over median rank, median of all steps"});
  if (balance.spread >= kUnevenSpread && balance.persistence < kSameRank) {
    verdicts.push_back(StragglerVerdict::kUnevenWork);
  }
  if (std::isnan(balance.stage_ratio)) return;
  answer.evidence.push_back({.signal = "stage_ratio",
                             .value = balance.stage_ratio,
                             .reference = kStageSpread,
                             .unit = "ratio",
                             .words = "slowest stage over fastest stage, medians"});
  if (balance.stage_ratio >= kStageSpread) verdicts.push_back(StragglerVerdict::kStageImbalance);
}

void AddSlowJob(const StepTable& table, std::vector<StragglerVerdict>& verdicts,
                StragglerAnswer& answer) {
  const std::vector<Episode> slower = SlowerSteps(table, kSlowerJob, kSlowerJob);
  if (slower.empty()) return;
  verdicts.push_back(StragglerVerdict::kJobSlowAll);
  answer.slow_since = EpisodeAt(table, slower.front());
}

// All verdicts that apply to the job, the most specific first.
std::vector<StragglerVerdict> Verdicts(const StragglerInput& input, const OwnTime& own,
                                       const std::vector<std::vector<size_t>>& groups,
                                       const SlowRows& found, StragglerAnswer& answer) {
  std::vector<StragglerVerdict> verdicts;
  if (!found.rows.empty()) verdicts.push_back(StragglerVerdict::kSlowRank);
  AddBalance(BalanceOf(own.seconds, groups, found.slow, input.pool), verdicts, answer);
  if (found.rows.empty()) AddSlowJob(input.steps, verdicts, answer);
  if (verdicts.empty()) verdicts.push_back(StragglerVerdict::kNone);
  return verdicts;
}

}  // namespace

StragglerEpisode EpisodeAt(const StepTable& table, const Episode& episode) {
  return {.time = {StepBeginMs(table, episode.first), table.end_ms[episode.last]},
          .first_step = table.step[episode.first],
          .last_step = table.step[episode.last],
          .is_open = episode.last + 1 == table.size()};
}

StragglerAnswer StragglersByOwnTime(StragglerMethod method, const StragglerInput& input) {
  StragglerAnswer answer{.method = method};
  const OwnTime own = OwnTimeOf(method, input.steps, input.pool);
  if (own.seconds.empty()) {
    answer.missing = own.missing;
    return answer;
  }
  const std::vector<std::vector<size_t>> groups = PeerGroups(input.job);
  if (groups.size() == input.job.ranks.size()) {
    answer.missing.emplace_back("a second rank that does the same work as another");
    return answer;
  }
  const size_t known = KnownColumns(own.seconds);
  if (known < kFewestSteps) {
    answer.missing.push_back(
        absl::StrFormat("more steps (%d after warm-up, at least %d needed)", known, kFewestSteps));
    return answer;
  }
  const PeerComparison comparison{own.seconds, groups, own.step_seconds, input.pool};
  const std::vector<EpisodeScale> scales = ScalesForSteps(kOwnTimeScales, Median(own.step_seconds));
  SlowRows found = input.memo == nullptr
                       ? FindSlowRows(comparison, scales)
                       : FindSlowRows(comparison, scales, input.steps.step, input.memo->own_time);
  AddHostStalls(input.steps, own, groups, input.pool,
                input.memo == nullptr ? nullptr : &input.memo->host_time, found);
  SetRanks(input, groups, found, answer);
  if (!found.rows.empty())
    SetReplay(input.job, own.seconds, own.step_seconds, groups, found, answer);
  std::vector<StragglerVerdict> verdicts = Verdicts(input, own, groups, found, answer);
  answer.verdict = verdicts.front();
  answer.also.assign(verdicts.begin() + 1, verdicts.end());
  return answer;
}

}  // namespace lockstep::training
