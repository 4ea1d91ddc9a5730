// Lemons: GPUs and hosts that are slow in job after job.
//
// One job cannot tell a bad GPU from bad luck: its data, its place in the job, its neighbours. Over
// many jobs, a GPU that is no worse than others stands anywhere among its peers; a lemon stands
// near the slow end each time. Each job gives a score of variance one (RankLateness::score), so the
// sum over n jobs divided by the root of n is normal for a healthy GPU, whatever the jobs were.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "training/fleet/job_lateness.h"

namespace lockstep::training {

struct LemonEvidence {
  size_t job = 0;  // index in the history
  RankPlace place = {};
  double late_ratio = 0;
  bool is_slowest = false;
};

struct Lemon {
  enum class Kind { kGpu, kHost };
  Kind kind = Kind::kGpu;
  std::string host = {};
  std::string gpu = {};       // index on its host; of a GPU
  std::string gpu_uuid = {};  // of a GPU, if known
  size_t jobs = 0;
  size_t slowest_in = 0;  // jobs in which it was the slowest of its peers
  double late_ratio = 0;  // median over the jobs
  double score = 0;       // normal for a healthy one
  // The number of GPUs (hosts) of this fleet that would look as bad by chance.
  double by_chance = 0;
  std::vector<LemonEvidence> evidence = {};  // latest jobs first
  // Empty for a lemon; otherwise why it may be something else.
  std::string doubt = {};
};

struct LemonAnswer {
  std::vector<Lemon> lemons = {};     // worst first
  std::vector<Lemon> undecided = {};  // with a `doubt`, worst first
  size_t gpus_judged = 0;             // that were in enough jobs
  size_t hosts_judged = 0;
};

// Attempts of a job are next to each other in `history`, and its first one on a device counts. A
// lemon was in at least five jobs, is late by at least 1 % and by more
// than healthy ones of this fleet differ, and would be found by chance in less than one fleet of a
// hundred. A host with several lemons is named instead of its GPUs. If a rank is late wherever it
// runs (it logs, or loads data for others), that is taken off first.
LemonAnswer FindLemons(std::span<const JobLateness> history);

}  // namespace lockstep::training
