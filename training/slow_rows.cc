#include "training/slow_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "training/statistics.h"
#include "training/stretches.h"

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

void MarkEpisodes(const SlowRow& row, bool mark, RankMask& slow) {
  for (const Episode& episode : row.episodes) {
    slow.Set(row.row, episode.first, episode.size(), mark);
  }
}

// The highest value of each column among rows that are not slow in it.
class HighestOfOthers {
 public:
  HighestOfOthers(const RankMatrix& values, const std::vector<size_t>& group, const RankMask& slow)
      : values_(values),
        slow_(slow),
        highest_(values.columns(), -std::numeric_limits<double>::infinity()) {
    for (const size_t row : group) Add(row);
  }

  // Again for a row that is not slow any more.
  void Add(size_t row) {
    const bool may_be_slow = slow_.MayHaveAny(row);
    const std::span<const double> values = values_.Row(row);
    for (size_t n = 0; n < highest_.size(); ++n) {
      if (may_be_slow && slow_(row, n)) continue;
      highest_[n] = values[n] > highest_[n] ? values[n] : highest_[n];
    }
  }

  // Whether nobody has more than `row`, which is slow in column n.
  bool IsBelow(size_t row, size_t n) const { return !(highest_[n] > values_(row, n)); }

 private:
  const RankMatrix& values_;
  const RankMask& slow_;
  std::vector<double> highest_;
};

void Measure(const HighestOfOthers& others, const SlowRows& found, SlowRow& slow_row) {
  const std::span<const double> excess = found.excess.Row(slow_row.row);
  std::vector<double> inside;
  std::vector<double> outside;
  size_t highest = 0;
  for (size_t n = 0; n < excess.size(); ++n) {
    if (std::isnan(excess[n])) continue;
    if (!found.slow(slow_row.row, n)) {
      outside.push_back(excess[n]);
      continue;
    }
    inside.push_back(excess[n]);
    highest += others.IsBelow(slow_row.row, n) ? 1 : 0;
  }
  slow_row.level = Median(inside);
  slow_row.baseline = outside.size() < kShortestEpisode ? kUnknown : Median(outside);
  slow_row.persistence =
      inside.empty() ? 0.0 : static_cast<double>(highest) / static_cast<double>(inside.size());
}

// Whether the row itself has more in its episodes than outside, and not its late peers less in them: a
// healthy row looks late in the steps in which others are not.
bool RoseItself(const PeerComparison& comparison, const RankMask& slow, const SlowRow& slow_row) {
  const std::span<const double> values = comparison.values.Row(slow_row.row);
  std::vector<double> inside;
  std::vector<double> outside;
  std::vector<double> unit;
  for (size_t n = 0; n < values.size(); ++n) {
    const bool is_inside = slow(slow_row.row, n);
    (is_inside ? inside : outside).push_back(values[n]);
    if (is_inside) unit.push_back(comparison.divisor.empty() ? 1.0 : comparison.divisor[n]);
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
void KeepPersistent(const PeerComparison& comparison, double least_level,
                    const std::vector<size_t>& group, std::vector<SlowRow>& candidates,
                    SlowRows& found) {
  if (candidates.empty()) return;
  HighestOfOthers others(comparison.values, group, found.slow);
  for (SlowRow& candidate : candidates) {
    Measure(others, found, candidate);
    const bool stands_out = StoodOutByLevel(candidate) || candidate.level >= least_level ||
                            RoseItself(comparison, found.slow, candidate);
    if (candidate.persistence >= kLeastPersistence && stands_out) {
      found.rows.push_back(candidate);
    } else {
      MarkEpisodes(candidate, false, found.slow);
      others.Add(candidate.row);
    }
  }
}

void FindInGroup(const PeerComparison& comparison, const std::vector<size_t>& group,
                 std::span<const EpisodeScale> scales, SlowRows& found) {
  const std::vector<EpisodeScale> fitting = ScalesFor(scales, group.size());
  std::vector<std::vector<Episode>> episodes(group.size());
  InStretches(group.size(), comparison.pool, [&](Stretch stretch) {
    for (size_t i = stretch.first; i < stretch.end; ++i) {
      episodes[i] = FindEpisodes(found.excess.Row(group[i]), fitting);
    }
  });
  std::vector<SlowRow> candidates;
  for (size_t i = 0; i < group.size(); ++i) {
    if (episodes[i].empty()) continue;
    candidates.push_back({.row = group[i], .episodes = std::move(episodes[i])});
    MarkEpisodes(candidates.back(), true, found.slow);
  }
  KeepPersistent(comparison, fitting.back().level, group, candidates, found);
}

}  // namespace

SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales) {
  const RankMatrix& values = comparison.values;
  RankMask masked(values.rows(), values.columns());
  SlowRows found;
  found.excess = ExcessOverPeers(comparison, masked);
  for (int pass = 0; pass < kPasses; ++pass) {
    found.slow = RankMask(values.rows(), values.columns());
    found.rows.clear();
    for (const std::vector<size_t>& group : comparison.groups) {
      FindInGroup(comparison, group, scales, found);
    }
    if (found.rows.empty()) break;
    if (pass + 1 < kPasses) UpdateExcess(comparison, masked, found.slow, found.excess);
    masked = found.slow;
  }
  std::sort(found.rows.begin(), found.rows.end(),
            [](const SlowRow& a, const SlowRow& b) { return a.level > b.level; });
  return found;
}

}  // namespace lockstep::training
