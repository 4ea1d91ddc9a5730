#include "training/slow_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "training/statistics.h"

namespace lockstep::training {
namespace {

// A machine that is slow is slow in most steps; uneven work hits another rank each time. By chance one of
// two ranks is the slowest in half of the steps, one of more in fewer.
constexpr double kLeastPersistence = 0.6;
constexpr double kPairFactor = 2.0;
// The second pass sees rows that the first compared with a slow peer.
constexpr int kPasses = 2;

std::vector<EpisodeScale> ScalesFor(std::span<const EpisodeScale> scales, size_t group_size) {
  std::vector<EpisodeScale> fitting(scales.begin(), scales.end());
  if (group_size > 2) return fitting;
  for (EpisodeScale& scale : fitting) {
    scale.level *= kPairFactor;
    scale.change *= kPairFactor;
  }
  return fitting;
}

RankMatrix Divided(const RankMatrix& excess, const std::vector<double>& divisor) {
  return divisor.empty() ? excess : DividedByColumn(excess, divisor);
}

// Whether `row` has the highest value of its group in column n, slow peers left out.
bool IsHighest(const RankMatrix& values, const std::vector<size_t>& group, const RankMask& slow,
               size_t row, size_t n) {
  const double own = values(row, n);
  return std::none_of(group.begin(), group.end(), [&](size_t peer) {
    return peer != row && !slow[peer][n] && values(peer, n) > own;
  });
}

void MarkEpisodes(const SlowRow& row, bool mark, RankMask& slow) {
  for (const Episode& episode : row.episodes) {
    std::fill_n(slow[row.row].begin() + static_cast<ptrdiff_t>(episode.first), episode.size(),
                mark);
  }
}

void Measure(const RankMatrix& values, const std::vector<size_t>& group, const SlowRows& found,
             SlowRow& slow_row) {
  const std::span<const double> excess = found.excess.Row(slow_row.row);
  std::vector<double> inside;
  std::vector<double> outside;
  size_t highest = 0;
  for (size_t n = 0; n < excess.size(); ++n) {
    if (std::isnan(excess[n])) continue;
    if (!found.slow[slow_row.row][n]) {
      outside.push_back(excess[n]);
      continue;
    }
    inside.push_back(excess[n]);
    highest += IsHighest(values, group, found.slow, slow_row.row, n) ? 1 : 0;
  }
  slow_row.level = Median(inside);
  slow_row.baseline = outside.size() < kShortestEpisode ? kUnknown : Median(outside);
  slow_row.persistence =
      inside.empty() ? 0.0 : static_cast<double>(highest) / static_cast<double>(inside.size());
}

// Whether the row itself has more in its episodes than outside, and not its late peers less in them: a
// healthy row looks late in the steps in which others are not.
bool RoseItself(const RankMatrix& values, const std::vector<double>& divisor, const RankMask& slow,
                const SlowRow& slow_row) {
  std::vector<double> inside;
  std::vector<double> outside;
  std::vector<double> unit;
  for (size_t n = 0; n < values.columns(); ++n) {
    const bool is_inside = slow[slow_row.row][n];
    (is_inside ? inside : outside).push_back(values(slow_row.row, n));
    if (is_inside) unit.push_back(divisor.empty() ? 1.0 : divisor[n]);
  }
  const double rise = Median(inside) - Median(outside);
  return rise >= (slow_row.level - slow_row.baseline) / 2 * Median(unit);
}

bool StoodOutByLevel(const SlowRow& slow_row) {
  return std::any_of(slow_row.episodes.begin(), slow_row.episodes.end(),
                     [](const Episode& episode) { return std::isnan(episode.baseline); });
}

// Drops rows that are not the slowest most of the time, and those that stand out against their own past
// alone without having risen themselves; unmarks them.
void KeepPersistent(const RankMatrix& values, const std::vector<double>& divisor,
                    double least_level, const std::vector<size_t>& group,
                    std::vector<SlowRow>& candidates, SlowRows& found) {
  for (SlowRow& candidate : candidates) {
    Measure(values, group, found, candidate);
    const bool stands_out = StoodOutByLevel(candidate) || candidate.level >= least_level ||
                            RoseItself(values, divisor, found.slow, candidate);
    if (candidate.persistence >= kLeastPersistence && stands_out) {
      found.rows.push_back(candidate);
    } else {
      MarkEpisodes(candidate, false, found.slow);
    }
  }
}

void FindInGroup(const RankMatrix& values, const std::vector<double>& divisor,
                 const std::vector<size_t>& group, std::span<const EpisodeScale> scales,
                 SlowRows& found) {
  const std::vector<EpisodeScale> fitting = ScalesFor(scales, group.size());
  std::vector<SlowRow> candidates;
  for (const size_t row : group) {
    std::vector<Episode> episodes = FindEpisodes(found.excess.Row(row), fitting);
    if (episodes.empty()) continue;
    candidates.push_back({.row = row, .episodes = std::move(episodes)});
    MarkEpisodes(candidates.back(), true, found.slow);
  }
  KeepPersistent(values, divisor, fitting.back().level, group, candidates, found);
}

}  // namespace

SlowRows FindSlowRows(const RankMatrix& values, const std::vector<double>& divisor,
                      const std::vector<std::vector<size_t>>& groups,
                      std::span<const EpisodeScale> scales) {
  RankMask masked = NothingMasked(values.rows(), values.columns());
  RankMatrix excess = ExcessOverPeers(values, groups, masked);
  SlowRows found;
  for (int pass = 0; pass < kPasses; ++pass) {
    found.excess = Divided(excess, divisor);
    found.slow = NothingMasked(values.rows(), values.columns());
    found.rows.clear();
    for (const std::vector<size_t>& group : groups) {
      FindInGroup(values, divisor, group, scales, found);
    }
    if (found.rows.empty()) break;
    if (pass + 1 < kPasses) UpdateExcess(values, groups, masked, found.slow, excess);
    masked = found.slow;
  }
  std::sort(found.rows.begin(), found.rows.end(),
            [](const SlowRow& a, const SlowRow& b) { return a.level > b.level; });
  return found;
}

}  // namespace lockstep::training
