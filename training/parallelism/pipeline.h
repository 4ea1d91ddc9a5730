// Where a job's parallel groups lose time: the bubble of its pipeline against theory, the stage
// that is slower than the others, experts with more work, and what a step would take without a
// group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "training/job/discovery.h"
#include "training/job/job.h"
#include "training/job/steps.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// Ranks that share a stage, an expert group or a host.
struct GroupTime {
  std::string name = {};
  size_t ranks = 0;
  double own_seconds = kUnknown;  // median over steps of its slowest rank's own time
  // The step if the group were as fast as the slowest of the others; unknown if there are no
  // others.
  double step_seconds_without = kUnknown;
};

struct PipelineBubble {
  int64_t stages = 0;
  double micro_batches = kUnknown;  // of a rank in a step
  int64_t interleave = 1;           // model chunks of each stage
  // The share of a step that a rank of average load does no work in: p - 1 of each v m + p - 1
  // parts in theory, for p stages, m micro-batches and v chunks (Narayanan et al., SC 2021, section
  // 2.2).
  double ratio = kUnknown;
  double theory_ratio = kUnknown;
};

struct ParallelismAnswer {
  double step_seconds = kUnknown;  // median after warm-up
  std::vector<GroupTime> stages = {};
  std::vector<GroupTime> experts = {};
  std::vector<GroupTime> hosts = {};
  PipelineBubble bubble = {};
  // The slowest stage (expert group) against the median of all: 0.1 is 10 % slower.
  double stage_imbalance_ratio = kUnknown;
  double expert_imbalance_ratio = kUnknown;
  std::vector<std::string> missing = {};  // signals without which there is no answer
};

// `interleave` is at least 1. Groups are given where there are at least two of a kind.
ParallelismAnswer FindGroupTimes(const Job& job, const StepTable& steps,
                                 const Parallelism& parallelism, int64_t interleave,
                                 TaskPool* pool = nullptr);

}  // namespace lockstep::training
