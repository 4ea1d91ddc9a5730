// A training job and where its ranks run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::training {

// A stretch of time, both ends belong to it. Unix time.
struct TimeRange {
  int64_t from_ms = 0;
  int64_t to_ms = 0;

  bool operator==(const TimeRange&) const = default;
};

// One rank. Ranks of the same pipeline stage and expert group do the same work: they are peers.
struct RankPlace {
  int64_t rank = 0;
  std::string host = {};      // empty: not known
  std::string gpu = {};       // index on its host, as a label says it; empty: not known
  std::string gpu_uuid = {};  // empty: not known
  int64_t stage = 0;
  int64_t expert_group = 0;
};

struct Job {
  std::string name;
  std::vector<RankPlace> ranks = {};  // the rows of every RankMatrix of the job, in this order
  // When the job's attempt began; its first seconds and steps are warm-up. 0: before the data.
  int64_t begin_ms = 0;
};

// By row: the share of its GPU that a rank has. Ranks that share a GPU (one UUID, or one index on one
// host) share its time equally; a rank whose place is not known has a GPU of its own.
std::vector<double> GpuShares(const Job& job);

// How many GPUs the job runs on.
size_t GpuCount(const Job& job);

// Row indices of ranks that do the same work, each group and the groups in ascending order.
std::vector<std::vector<size_t>> PeerGroups(const Job& job);

// The group that `row` belongs to. Precondition: it is in one.
const std::vector<size_t>& GroupOf(const std::vector<std::vector<size_t>>& groups, size_t row);

}  // namespace lockstep::training
