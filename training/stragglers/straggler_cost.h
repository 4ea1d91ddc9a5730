// Computes what the named ranks cost the job.
#pragma once

#include <vector>

#include "training/episodes/excess.h"
#include "training/episodes/slow_rows.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// Sets the median step time over slow steps and over the others.
void SetStepSeconds(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                    WhatIf& what_if);

// Replays each slow step with the slowest rank that is not named, group by group, and counts the
// difference as lost. `own` is in seconds; `answer.ranks` and `found.rows` have the same order. The
// result is an upper bound: peers that idle while they wait run 1..3 % faster than otherwise, and a
// pipeline hides part of a late stage.
void SetReplay(const Job& job, const RankMatrix& own, const std::vector<double>& step_seconds,
               const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
               StragglerAnswer& answer);

// For unknown own times: compares the slow steps with the median of the others.
void SetCostFromSteps(const std::vector<double>& step_seconds, const std::vector<bool>& slow_step,
                      const Job& job, StragglerAnswer& answer);

}  // namespace lockstep::training
