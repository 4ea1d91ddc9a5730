// A training job and where its ranks run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/sample.h"

namespace lockstep::training {

// One rank. Ranks of the same pipeline stage and expert group do the same work and are peers.
struct RankPlace {
  int64_t rank = 0;
  std::string host = {};      // empty if unknown
  std::string gpu = {};       // index on its host, from a label; empty if unknown
  std::string gpu_uuid = {};  // empty if unknown
  int64_t stage = 0;
  int64_t expert_group = 0;
};

struct Job {
  std::string name;
  std::vector<RankPlace> ranks = {};  // the rows of every RankMatrix of the job, in this order
  // When the attempt began; its first seconds and steps are warm-up. 0: before the data.
  int64_t begin_ms = 0;
};

// By row: a rank's share of its GPU. Ranks on the same GPU (same UUID, or same host and index)
// share its time equally; a rank at an unknown place has a GPU to itself.
std::vector<double> GpuShares(const Job& job);

// The number of GPUs that the job runs on.
size_t GpuCount(const Job& job);

// Groups the rows of ranks that do the same work. Groups and their elements are in ascending order.
std::vector<std::vector<size_t>> PeerGroups(const Job& job);

// The group of `row`. Precondition: `row` is in one of the groups.
const std::vector<size_t>& GroupOf(const std::vector<std::vector<size_t>>& groups, size_t row);

}  // namespace lockstep::training
