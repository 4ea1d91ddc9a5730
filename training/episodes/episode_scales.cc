#include "training/episodes/episode_scales.h"

#include <algorithm>
#include <cmath>

namespace lockstep::training {
namespace {

constexpr double kReferenceStepSeconds = 0.2;
// Reached by a job that reports thousands of steps per second.
constexpr double kMostStretch = 100;

}  // namespace

std::vector<EpisodeScale> ScalesForSteps(std::span<const EpisodeScale> scales,
                                         double step_seconds) {
  std::vector<EpisodeScale> fitting(scales.begin(), scales.end());
  if (!(step_seconds > 0 && step_seconds < kReferenceStepSeconds)) return fitting;
  const double stretch = std::min(kReferenceStepSeconds / step_seconds, kMostStretch);
  const auto stretched = [stretch](size_t steps) {
    return static_cast<size_t>(std::ceil(static_cast<double>(steps) * stretch));
  };
  for (EpisodeScale& scale : fitting) {
    scale.window = stretched(scale.window);
    scale.shortest = stretched(scale.shortest);
  }
  return fitting;
}

}  // namespace lockstep::training
