#include "training/straggler_cost.h"

#include <algorithm>
#include <cmath>

#include "training/statistics.h"

namespace lockstep::training {
namespace {

struct GroupHighest {
  double of_all = 0;
  double of_unnamed = 0;
};

GroupHighest HighestOf(const RankMatrix& own, const std::vector<size_t>& group,
                       const RankMask& slow, size_t n) {
  GroupHighest highest;
  for (const size_t row : group) {
    const double seconds = own(row, n);
    if (std::isnan(seconds)) continue;
    highest.of_all = std::max(highest.of_all, seconds);
    if (!slow[row][n]) highest.of_unnamed = std::max(highest.of_unnamed, seconds);
  }
  return highest;
}

// Seconds that step n would be shorter without the named ranks.
double Saved(const RankMatrix& own, const std::vector<std::vector<size_t>>& groups,
             const RankMask& slow, size_t n) {
  double saved = 0;
  for (const std::vector<size_t>& group : groups) {
    const GroupHighest highest = HighestOf(own, group, slow, n);
    if (highest.of_unnamed > 0) saved = std::max(saved, highest.of_all - highest.of_unnamed);
  }
  return saved;
}

// Seconds by which `row` exceeds the slowest of its peers, over its slow steps.
double LostTo(const RankMatrix& own, const std::vector<size_t>& group, const RankMask& slow,
              size_t row) {
  double lost = 0;
  for (size_t n = 0; n < own.columns(); ++n) {
    if (!slow[row][n] || std::isnan(own(row, n))) continue;
    double highest = 0;
    for (const size_t peer : group) {
      if (peer != row && !std::isnan(own(peer, n))) highest = std::max(highest, own(peer, n));
    }
    lost += std::max(0.0, own(row, n) - highest);
  }
  return lost;
}

}  // namespace

std::vector<bool> SlowSteps(const RankMask& slow) {
  std::vector<bool> any(slow.empty() ? 0 : slow.front().size(), false);
  for (const std::vector<bool>& row : slow) {
    for (size_t n = 0; n < any.size(); ++n) any[n] = any[n] || row[n];
  }
  return any;
}

void SetStepSeconds(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                    WhatIf& what_if) {
  std::vector<double> slow;
  std::vector<double> other;
  for (size_t n = 0; n < step_seconds.size(); ++n) {
    (slow_step[n] ? slow : other).push_back(step_seconds[n]);
  }
  what_if.step_seconds_now = Median(slow);
  what_if.step_seconds_before = other.size() < kShortestEpisode ? kUnknown : Median(other);
}

void SetReplay(const RankMatrix& own, const std::vector<double>& step_seconds,
               const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
               StragglerAnswer& answer) {
  const std::vector<bool> slow_step = SlowSteps(found.slow);
  std::vector<double> without;
  answer.lost_seconds = 0;
  for (size_t n = 0; n < slow_step.size(); ++n) {
    if (!slow_step[n]) continue;
    const double saved = Saved(own, groups, found.slow, n);
    answer.lost_seconds += saved;
    without.push_back(step_seconds[n] - saved);
  }
  SetStepSeconds(step_seconds, slow_step, answer.what_if);
  answer.what_if.step_seconds_without = Median(without);
  answer.lost_gpu_seconds = answer.lost_seconds * static_cast<double>(own.rows());
  for (size_t i = 0; i < found.rows.size(); ++i) {
    const size_t row = found.rows[i].row;
    answer.ranks[i].lost_seconds = LostTo(own, GroupOf(groups, row), found.slow, row);
  }
}

void SetCostFromSteps(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                      size_t rank_count, StragglerAnswer& answer) {
  SetStepSeconds(step_seconds, slow_step, answer.what_if);
  answer.what_if.step_seconds_without = answer.what_if.step_seconds_before;
  if (std::isnan(answer.what_if.step_seconds_before)) return;
  answer.lost_seconds = 0;
  for (size_t n = 0; n < step_seconds.size(); ++n) {
    if (!slow_step[n] || std::isnan(step_seconds[n])) continue;
    answer.lost_seconds += std::max(0.0, step_seconds[n] - answer.what_if.step_seconds_before);
  }
  answer.lost_gpu_seconds = answer.lost_seconds * static_cast<double>(rank_count);
}

}  // namespace lockstep::training
