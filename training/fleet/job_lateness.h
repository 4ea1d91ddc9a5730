// How late each rank of one job is against its peers: what a job tells of its GPUs and hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/threads/task_pool.h"
#include "training/job/job.h"
#include "training/job/steps.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct RankLateness {
  RankPlace place = {};
  // The median of its own time against that of its peers, which are at least four: 0.02 is 2 %
  // late.
  double late_ratio = 0;
  // Where it stands among them: the quantile of the normal distribution that belongs to its place
  // from the fastest to the slowest, scaled to a variance of one over the peers.
  double score = 0;
  size_t peers = 0;  // itself included
  bool is_slowest = false;
};

struct JobLateness {
  std::string job = {};
  size_t attempt = 0;
  TimeRange time = {};
  std::vector<RankLateness> ranks = {};  // those that can be compared; none without own times
};

// Peers do the same work on the same model of GPU. `gpu_models` is by rank; "" if unknown.
// Ranks with fewer than 20 steps after warm-up are left out.
std::vector<RankLateness> LatenessOf(const Job& job, const StepTable& steps,
                                     const std::vector<std::string>& gpu_models,
                                     TaskPool* pool = nullptr);

// The same for peers whose own times are known. Empty for fewer than four.
std::vector<RankLateness> LatenessOfPeers(const Job& job, const std::vector<double>& seconds);

}  // namespace lockstep::training
