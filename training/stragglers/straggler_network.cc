#include "training/stragglers/straggler_network.h"

#include <algorithm>
#include <utility>

#include "training/devices/links.h"
#include "training/episodes/episode_scales.h"
#include "training/episodes/slow_rows.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/own_time.h"
#include "training/stragglers/straggler_methods.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

TimeRange WholeTime(const StepTable& table) {
  return table.size() == 0 ? TimeRange{} : TimeRange{StepBeginMs(table, 0), table.end_ms.back()};
}

std::vector<LinkTrouble> TroublesIn(const StragglerInput& input, const TimeRange& time) {
  const TimeRange whole = WholeTime(input.steps);
  return LinkTroubles(input.job, input.links, input.devices, time, {whole.min_ms, time.min_ms});
}

bool HasLinks(const StragglerInput& input) {
  if (!input.links.empty()) return true;
  return std::any_of(input.devices.begin(), input.devices.end(), [](const GpuCounters& device) {
    return !device[Role::kGpuNvlinkCrcFlitErrorsTotal].empty() ||
           !device[Role::kGpuNvlinkReplayErrorsTotal].empty() ||
           !device[Role::kGpuNvlinkRecoveryErrorsTotal].empty();
  });
}

// Adds evidence from the rank's links. Returns whether they have problems.
bool AddTroubles(const std::vector<LinkTrouble>& troubles, SlowRankFinding& finding) {
  bool any = false;
  for (const LinkTrouble& trouble : troubles) {
    if (std::find(trouble.rows.begin(), trouble.rows.end(), finding.row) == trouble.rows.end()) {
      continue;
    }
    finding.evidence.push_back(trouble.evidence);
    any = true;
  }
  return any;
}

void AskLinks(const StragglerInput& input, SlowRankFinding& finding) {
  const bool is_open = finding.cause == StragglerCause::kUnknown ||
                       finding.cause == StragglerCause::kOther ||
                       finding.cause == StragglerCause::kNetwork;
  if (!is_open || finding.episodes.empty()) return;
  if (AddTroubles(TroublesIn(input, finding.episodes.front().time), finding)) {
    finding.cause = StragglerCause::kNetwork;
  }
}

// Makes kSlowRank the verdict and keeps the previous verdict in `also`.
void NameRanks(std::vector<SlowRankFinding> ranks, StragglerAnswer& answer) {
  if (answer.verdict != StragglerVerdict::kNone) {
    answer.also.insert(answer.also.begin(), answer.verdict);
  }
  answer.verdict = StragglerVerdict::kSlowRank;
  answer.ranks = std::move(ranks);
}

// Names ranks behind links that have had problems since the job became slow.
void NameBySlowJob(const StragglerInput& input, StragglerAnswer& answer) {
  const StragglerAnswer slow = StragglersByStepTime(input);
  if (!slow.slow_since.has_value()) return;
  const std::vector<LinkTrouble> troubles = TroublesIn(input, slow.slow_since->time);
  const WhatIf& what_if = slow.what_if;
  std::vector<SlowRankFinding> ranks;
  for (size_t row = 0; row < input.job.ranks.size(); ++row) {
    SlowRankFinding finding{.row = row,
                            .cause = StragglerCause::kNetwork,
                            .score = what_if.step_seconds_now / what_if.step_seconds_before - 1,
                            .episodes = {*slow.slow_since},
                            .lost_seconds = slow.lost_seconds,
                            .evidence = slow.evidence};
    if (AddTroubles(troubles, finding)) ranks.push_back(std::move(finding));
  }
  if (ranks.empty()) return;
  NameRanks(std::move(ranks), answer);
  answer.what_if = what_if;
  answer.lost_seconds = slow.lost_seconds;
  answer.lost_gpu_seconds = slow.lost_gpu_seconds;
}

// Names ranks that communicate longer than their peers while their links have problems.
void NameByExchange(const StragglerInput& input, StragglerAnswer& answer) {
  if (TroublesIn(input, WholeTime(input.steps)).empty()) return;
  const RankMatrix exchange = SumOfPhases(input.steps, {PhaseKind::kCommunication}, input.pool);
  const std::vector<double> step_seconds = JobStepSeconds(input.steps, input.pool);
  const std::vector<std::vector<size_t>> groups = PeerGroups(input.job);
  if (exchange.empty() || groups.size() == input.job.ranks.size()) return;
  std::vector<SlowRankFinding> ranks;
  const std::vector<EpisodeScale> scales = ScalesForSteps(kOwnTimeScales, Median(step_seconds));
  const PeerComparison comparison{exchange, groups, step_seconds, input.pool};
  for (const SlowRow& slow : FindSlowRows(comparison, scales).rows) {
    SlowRankFinding finding{.row = slow.row,
                            .cause = StragglerCause::kNetwork,
                            .score = slow.level,
                            .persistence = slow.persistence};
    bool is_in_trouble = false;
    for (const Episode& episode : slow.episodes) {
      finding.episodes.push_back(EpisodeAt(input.steps, episode));
      is_in_trouble |= AddTroubles(TroublesIn(input, finding.episodes.back().time), finding);
    }
    finding.evidence.push_back({.signal = "exchange_excess",
                                .value = slow.level,
                                .reference = slow.baseline,
                                .unit = "share of the step",
                                .words = "communication time above the peers' median"});
    if (is_in_trouble) ranks.push_back(std::move(finding));
  }
  if (!ranks.empty()) NameRanks(std::move(ranks), answer);
}

}  // namespace

void BlameNetwork(const StragglerInput& input, StragglerAnswer& answer) {
  if (answer.verdict == StragglerVerdict::kNoData || !HasLinks(input)) return;
  for (SlowRankFinding& finding : answer.ranks) AskLinks(input, finding);
  if (!answer.ranks.empty() || input.steps.size() == 0) return;
  NameBySlowJob(input, answer);
  if (answer.ranks.empty()) NameByExchange(input, answer);
}

}  // namespace lockstep::training
