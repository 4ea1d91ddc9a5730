#include "training/stragglers/host_stalls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "training/episodes/episode_scales.h"
#include "training/matrix/statistics.h"
#include "training/matrix/stretches.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

// Data and copy time of each rank where its own time is known, that is, after warm-up.
RankMatrix HostSeconds(const StepTable& table, const OwnTime& own, TaskPool* pool) {
  RankMatrix seconds = SumOfPhases(table, {PhaseKind::kData, PhaseKind::kHostToDevice}, pool);
  if (seconds.empty()) return seconds;
  InStretches(seconds.rows(), pool, [&](Stretch stretch) {
    for (size_t row = stretch.first; row < stretch.end; ++row) {
      const std::span<const double> known = own.seconds.Row(row);
      const std::span<double> values = seconds.Row(row);
      for (size_t n = 0; n < values.size(); ++n) {
        values[n] = std::isnan(known[n]) ? kUnknown : values[n];
      }
    }
  });
  return seconds;
}

std::vector<double> LowestOfColumns(const RankMatrix& values) {
  std::vector<double> lowest(values.columns(), std::numeric_limits<double>::infinity());
  for (size_t row = 0; row < values.rows(); ++row) {
    const std::span<const double> own = values.Row(row);
    for (size_t n = 0; n < own.size(); ++n) lowest[n] = own[n] < lowest[n] ? own[n] : lowest[n];
  }
  return lowest;
}

// Whether some row has episodes even relative to the lowest of all rows. Hosts are usually so
// similar that none has, which saves comparing them with the median.
bool MayStandOut(const PeerComparison& host, std::span<const EpisodeScale> scales) {
  const std::vector<double> lowest = LowestOfColumns(host.values);
  std::vector<char> may(host.values.rows(), 0);
  InStretches(host.values.rows(), host.pool, [&](Stretch stretch) {
    std::vector<double> over(lowest.size());
    for (size_t row = stretch.first; row < stretch.end; ++row) {
      const std::span<const double> own = host.values.Row(row);
      for (size_t n = 0; n < over.size(); ++n) over[n] = (own[n] - lowest[n]) / host.divisor[n];
      may[row] = MayHaveEpisodes(over, scales) ? 1 : 0;
    }
  });
  return std::find(may.begin(), may.end(), 1) != may.end();
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
                   const std::vector<std::vector<size_t>>& groups, TaskPool* pool,
                   SlowRowsMemo* memo, SlowRows& found) {
  const RankMatrix seconds = HostSeconds(table, own, pool);
  const PeerComparison host{seconds, groups, own.step_seconds, pool};
  const std::vector<EpisodeScale> scales = ScalesForSteps(kHostScales, Median(own.step_seconds));
  if (seconds.empty() || !MayStandOut(host, scales)) return;
  SlowRows stalls =
      memo == nullptr ? FindSlowRows(host, scales) : FindSlowRows(host, scales, table.step, *memo);
  for (SlowRow& stalled : stalls.rows) {
    if (IsNamed(found, stalled.row)) continue;
    const double late = MedianIn(found.excess->Row(stalled.row), stalled.episodes);
    if (!(late >= stalled.level / 2)) continue;
    for (const Episode& episode : stalled.episodes) {
      found.slow.Set(stalled.row, episode.first, episode.size());
    }
    stalled.level = late;
    found.rows.push_back(std::move(stalled));
  }
}

}  // namespace lockstep::training
