#include "training/stragglers/straggler_cost.h"

#include <algorithm>
#include <cmath>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// The highest value of a group in each column; 0 if all are unknown.
struct GroupHighest {
  explicit GroupHighest(size_t columns)
      : of_all(columns, 0), second_of_all(columns, 0), of_unnamed(columns, 0) {}

  std::vector<double> of_all;
  std::vector<double> second_of_all;
  std::vector<double> of_unnamed;
};

GroupHighest HighestOf(const RankMatrix& own, const std::vector<size_t>& group,
                       const RankMask& slow) {
  GroupHighest highest(own.columns());
  for (const size_t row : group) {
    const std::span<const double> seconds = own.Row(row);
    const bool may_be_slow = slow.MayHaveAny(row);
    for (size_t n = 0; n < seconds.size(); ++n) {
      if (std::isnan(seconds[n])) continue;
      highest.second_of_all[n] =
          std::max(highest.second_of_all[n], std::min(highest.of_all[n], seconds[n]));
      highest.of_all[n] = std::max(highest.of_all[n], seconds[n]);
      if (may_be_slow && slow(row, n)) continue;
      highest.of_unnamed[n] = std::max(highest.of_unnamed[n], seconds[n]);
    }
  }
  return highest;
}

// Adds the seconds by which each step would be shorter without the named ranks.
void AddSaved(const GroupHighest& highest, std::vector<double>& saved) {
  for (size_t n = 0; n < saved.size(); ++n) {
    if (!(highest.of_unnamed[n] > 0)) continue;
    saved[n] = std::max(saved[n], highest.of_all[n] - highest.of_unnamed[n]);
  }
}

// Seconds by which `row` exceeds the slowest of its peers, over its slow steps.
double LostTo(const RankMatrix& own, const GroupHighest& highest, const RankMask& slow,
              size_t row) {
  double lost = 0;
  const std::span<const double> seconds = own.Row(row);
  for (size_t n = 0; n < seconds.size(); ++n) {
    if (!slow(row, n) || std::isnan(seconds[n])) continue;
    const bool is_highest = seconds[n] >= highest.of_all[n];
    const double peers = is_highest ? highest.second_of_all[n] : highest.of_all[n];
    lost += std::max(0.0, seconds[n] - peers);
  }
  return lost;
}

}  // namespace

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

void SetReplay(const Job& job, const RankMatrix& own, const std::vector<double>& step_seconds,
               const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
               StragglerAnswer& answer) {
  std::vector<double> saved(own.columns(), 0);
  for (const std::vector<size_t>& group : groups) {
    const GroupHighest highest = HighestOf(own, group, found.slow);
    AddSaved(highest, saved);
    for (size_t i = 0; i < found.rows.size(); ++i) {
      const size_t row = found.rows[i].row;
      if (std::find(group.begin(), group.end(), row) == group.end()) continue;
      answer.ranks[i].lost_seconds = LostTo(own, highest, found.slow, row);
    }
  }
  const std::vector<bool> slow_step = MarkedColumns(found.slow);
  std::vector<double> without;
  for (size_t n = 0; n < slow_step.size(); ++n) {
    if (!slow_step[n]) continue;
    answer.lost_seconds += saved[n];
    without.push_back(step_seconds[n] - saved[n]);
  }
  SetStepSeconds(step_seconds, slow_step, answer.what_if);
  answer.what_if.step_seconds_without = Median(without);
  answer.lost_gpu_seconds = answer.lost_seconds * static_cast<double>(GpuCount(job));
}

void SetCostFromSteps(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                      const Job& job, StragglerAnswer& answer) {
  SetStepSeconds(step_seconds, slow_step, answer.what_if);
  answer.what_if.step_seconds_without = answer.what_if.step_seconds_before;
  if (std::isnan(answer.what_if.step_seconds_before)) return;
  for (size_t n = 0; n < step_seconds.size(); ++n) {
    if (!slow_step[n] || std::isnan(step_seconds[n])) continue;
    answer.lost_seconds += std::max(0.0, step_seconds[n] - answer.what_if.step_seconds_before);
  }
  answer.lost_gpu_seconds = answer.lost_seconds * static_cast<double>(GpuCount(job));
}

}  // namespace lockstep::training
