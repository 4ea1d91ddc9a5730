#include "training/episodes/slow_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "training/matrix/chance.h"
#include "training/matrix/statistics.h"
#include "training/matrix/stretches.h"

namespace lockstep::training {
namespace {

// A slow machine is slow in most steps; uneven work hits a different rank each time. By chance, one
// of two ranks is slowest in half of the steps; with more ranks, in fewer.
constexpr double kLeastPersistence = 0.6;
constexpr double kPairFactor = 2.0;
// A finding less probable than this, given all ranks and steps that could have shown it, is not
// chance.
constexpr double kChance = 1e-3;
constexpr double kLateShareOfMachines = 0.9;
// The second pass finds rows that the first compared with a slow peer.
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

// The highest value of each column over rows that are not slow in it.
class HighestOfOthers {
 public:
  HighestOfOthers(const RankMatrix& values, const std::vector<size_t>& group, const RankMask& slow)
      : values_(values),
        slow_(slow),
        highest_(values.columns(), -std::numeric_limits<double>::infinity()) {
    for (const size_t row : group) Add(row);
  }

  // Adds a row that is no longer slow.
  void Add(size_t row) {
    const bool may_be_slow = slow_.MayHaveAny(row);
    const std::span<const double> values = values_.Row(row);
    for (size_t n = 0; n < highest_.size(); ++n) {
      if (may_be_slow && slow_(row, n)) continue;
      highest_[n] = values[n] > highest_[n] ? values[n] : highest_[n];
    }
  }

  // Whether no row exceeds `row`, which is slow in column n.
  bool IsBelow(size_t row, size_t n) const { return !(highest_[n] > values_(row, n)); }

 private:
  const RankMatrix& values_;
  const RankMask& slow_;
  std::vector<double> highest_;
};

void Measure(const HighestOfOthers& others, const SlowRows& found, SlowRow& slow_row) {
  const std::span<const double> excess = found.excess->Row(slow_row.row);
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

// Whether the row itself rose in its episodes, rather than its late peers dropping: a healthy row
// looks late in steps in which other rows are not.
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

// The number of known columns of a row, and in how many it is late.
struct LateCount {
  size_t known = 0;
  size_t late = 0;

  void Add(double excess, double level) {
    if (std::isnan(excess)) return;
    ++known;
    late += excess >= level ? 1 : 0;
  }
  double Share() const { return static_cast<double>(late + 1) / static_cast<double>(known + 2); }
};

// The share of columns in which rows of the group are late by at least `level`, not counting
// columns in which a machine is slow. A slow machine is late in nearly all its slow columns; a row
// drawn at random is not.
double UsualShare(const std::vector<size_t>& group, const SlowRows& found, double level) {
  LateCount usual;
  for (const size_t row : group) {
    const std::span<const double> excess = found.excess->Row(row);
    LateCount marked;
    LateCount others;
    for (size_t n = 0; n < excess.size(); ++n) {
      (found.slow(row, n) ? marked : others).Add(excess[n], level);
    }
    const bool is_machine = static_cast<double>(marked.late) >=
                            kLateShareOfMachines * static_cast<double>(marked.known);
    usual.known += others.known + (is_machine ? 0 : marked.known);
    usual.late += others.late + (is_machine ? 0 : marked.late);
  }
  return usual.Share();
}

// Whether chance could have made the row look slow. Work drawn at random makes some rank late in
// each step, and among hundreds of stretches of steps, it is no surprise if one hits the same rank
// most of the time.
bool MayBeChance(const std::vector<size_t>& group, const SlowRows& found, const SlowRow& slow_row) {
  const double level = slow_row.level / 2;
  const double usual = UsualShare(group, found, level);
  const std::span<const double> excess = found.excess->Row(slow_row.row);
  size_t known = 0;
  double least = 0;
  for (const double value : excess) known += std::isnan(value) ? 0 : 1;
  for (const Episode& episode : slow_row.episodes) {
    LateCount inside;
    for (size_t n = episode.first; n <= episode.last; ++n) inside.Add(excess[n], level);
    least = std::min(least, LogChanceOfAtLeast(inside.late, inside.known, usual));
  }
  // It could have been any rank, and the stretch could have begun and ended at any step.
  const double looked_at =
      std::log(static_cast<double>(group.size())) + 2 * std::log(static_cast<double>(known + 1));
  return least + looked_at > std::log(kChance);
}

bool StoodOutByLevel(const SlowRow& slow_row) {
  return std::any_of(slow_row.episodes.begin(), slow_row.episodes.end(),
                     [](const Episode& episode) { return std::isnan(episode.baseline); });
}

// Drops and unmarks rows that are not slowest most of the time, and rows that stand out only
// against their own past without having risen themselves.
void KeepPersistent(const PeerComparison& comparison, double least_level,
                    const std::vector<size_t>& group, std::vector<SlowRow>& candidates,
                    SlowRows& found) {
  if (candidates.empty()) return;
  HighestOfOthers others(comparison.values, group, found.slow);
  for (SlowRow& candidate : candidates) {
    Measure(others, found, candidate);
    const bool stands_out = StoodOutByLevel(candidate) || candidate.level >= least_level ||
                            RoseItself(comparison, found.slow, candidate);
    if (candidate.persistence >= kLeastPersistence && stands_out &&
        !MayBeChance(group, found, candidate)) {
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
      episodes[i] = FindEpisodes(found.excess->Row(group[i]), fitting);
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

namespace {

// The excess of each pass, without the rows that the previous pass found slow.
class PassExcess {
 public:
  PassExcess(const PeerComparison& comparison, std::span<const int64_t> step, SlowRowsMemo* memo)
      : comparison_(comparison), step_(step), memo_(memo) {}

  std::shared_ptr<const RankMatrix> First() {
    masked_ = RankMask(comparison_.values.rows(), comparison_.values.columns());
    if (memo_ != nullptr) return memo_->first.Excess(comparison_, step_, masked_);
    excess_ = std::make_shared<RankMatrix>(ExcessOverPeers(comparison_, masked_));
    return excess_;
  }

  std::shared_ptr<const RankMatrix> Next(const RankMask& slow) {
    if (memo_ != nullptr) return memo_->second.Excess(comparison_, step_, slow);
    UpdateExcess(comparison_, masked_, slow, *excess_);
    masked_ = slow;
    return excess_;
  }

 private:
  const PeerComparison& comparison_;
  const std::span<const int64_t> step_;
  SlowRowsMemo* const memo_;
  RankMask masked_;
  std::shared_ptr<RankMatrix> excess_;  // used without a memo
};

SlowRows FindSlowRowsOf(const PeerComparison& comparison, std::span<const EpisodeScale> scales,
                        std::span<const int64_t> step, SlowRowsMemo* memo) {
  const RankMatrix& values = comparison.values;
  PassExcess passes(comparison, step, memo);
  SlowRows found;
  found.excess = passes.First();
  for (int pass = 0; pass < kPasses; ++pass) {
    found.slow = RankMask(values.rows(), values.columns());
    found.rows.clear();
    for (const std::vector<size_t>& group : comparison.groups) {
      FindInGroup(comparison, group, scales, found);
    }
    if (found.rows.empty()) break;
    if (pass + 1 < kPasses) found.excess = passes.Next(found.slow);
  }
  std::sort(found.rows.begin(), found.rows.end(),
            [](const SlowRow& a, const SlowRow& b) { return a.level > b.level; });
  return found;
}

}  // namespace

SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales) {
  return FindSlowRowsOf(comparison, scales, {}, nullptr);
}

SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales,
                      std::span<const int64_t> step, SlowRowsMemo& memo) {
  return FindSlowRowsOf(comparison, scales, step, &memo);
}

}  // namespace lockstep::training
