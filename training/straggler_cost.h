// What named ranks cost the job.
#pragma once

#include <vector>

#include "training/excess.h"
#include "training/slow_rows.h"
#include "training/stragglers.h"

namespace lockstep::training {

// Median step time in and outside of slow steps.
void SetStepSeconds(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                    WhatIf& what_if);

// Replays each slow step with the slowest of the ranks that are not named, group by group, and counts the
// difference as lost. `own` in seconds, `answer.ranks` made from `found.rows` in the same order. Peers
// that rest while they wait run 1..3 % faster than they would, and a pipeline hides part of a late
// stage, so what is lost is at most this.
void SetReplay(const Job& job, const RankMatrix& own, const std::vector<double>& step_seconds,
               const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
               StragglerAnswer& answer);

// Where own times are not known: the slow steps against the median of the others.
void SetCostFromSteps(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                      const Job& job, StragglerAnswer& answer);

}  // namespace lockstep::training
