#include "training/host_stalls.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "training/statistics.h"
#include "training/straggler_thresholds.h"

namespace lockstep::training {
namespace {

// Own times are known where warm-up is over.
void ForgetUnknown(const RankMatrix& own, RankMatrix& values) {
  for (size_t row = 0; row < own.rows(); ++row) {
    for (size_t n = 0; n < own.columns(); ++n) {
      if (std::isnan(own(row, n))) values(row, n) = kUnknown;
    }
  }
}

RankMatrix HostSeconds(const StepTable& table, const OwnTime& own) {
  RankMatrix seconds = SumOfPhases(table, {PhaseKind::kData, PhaseKind::kHostToDevice});
  if (!seconds.empty()) ForgetUnknown(own.seconds, seconds);
  return seconds;
}

double MedianIn(std::span<const double> values, const std::vector<Episode>& episodes) {
  std::vector<double> inside;
  for (const Episode& episode : episodes) {
    const std::span<const double> part = values.subspan(episode.first, episode.size());
    inside.insert(inside.end(), part.begin(), part.end());
  }
  return Median(inside);
}

bool IsNamed(const SlowRows& found, size_t row) {
  return std::any_of(found.rows.begin(), found.rows.end(),
                     [row](const SlowRow& slow) { return slow.row == row; });
}

}  // namespace

void AddHostStalls(const StepTable& table, const OwnTime& own,
                   const std::vector<std::vector<size_t>>& groups, SlowRows& found) {
  const RankMatrix host = HostSeconds(table, own);
  if (host.empty()) return;
  for (SlowRow& stalled : FindSlowRows(host, own.step_seconds, groups, kHostScales).rows) {
    if (IsNamed(found, stalled.row)) continue;
    const double late = MedianIn(found.excess.Row(stalled.row), stalled.episodes);
    if (!(late >= stalled.level / 2)) continue;
    for (const Episode& episode : stalled.episodes) {
      for (size_t n = episode.first; n <= episode.last; ++n) found.slow[stalled.row][n] = true;
    }
    stalled.level = late;
    found.rows.push_back(std::move(stalled));
  }
}

}  // namespace lockstep::training
