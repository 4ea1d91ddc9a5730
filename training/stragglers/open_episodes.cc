#include "training/stragglers/open_episodes.h"

#include <algorithm>
#include <array>

#include "training/episodes/episode_scales.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// The number of quiet steps that separate two episodes.
size_t QuietSteps(const StepTable& steps) {
  constexpr std::array kScale = {EpisodeScale{.window = kShortestEpisode}};
  return ScalesForSteps(kScale, Median(JobStepSeconds(steps))).front().shortest;
}

}  // namespace

void KeepEpisodesOpen(const StepTable& steps, StragglerAnswer& answer) {
  if (steps.size() == 0) return;
  const size_t quiet = std::min(QuietSteps(steps), steps.size() - 1);
  const int64_t near = steps.step[steps.size() - 1 - quiet];
  for (SlowRankFinding& finding : answer.ranks) {
    if (finding.episodes.empty()) continue;
    StragglerEpisode& last = finding.episodes.back();
    if (!last.last_step.has_value() || *last.last_step < near) continue;
    last.last_step = steps.step.back();
    last.time.max_ms = steps.end_ms.back();
    last.is_open = true;
  }
}

}  // namespace lockstep::training
