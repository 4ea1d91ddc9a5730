#include "training/job/job.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"

namespace lockstep::training {

std::vector<std::vector<size_t>> PeerGroups(const Job& job) {
  std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> by_work;
  for (size_t row = 0; row < job.ranks.size(); ++row) {
    by_work[{job.ranks[row].stage, job.ranks[row].expert_group}].push_back(row);
  }
  std::vector<std::vector<size_t>> groups;
  groups.reserve(by_work.size());
  for (auto& [work, rows] : by_work) groups.push_back(std::move(rows));
  return groups;
}

const std::vector<size_t>& GroupOf(const std::vector<std::vector<size_t>>& groups, size_t row) {
  const auto group =
      std::find_if(groups.begin(), groups.end(), [row](const std::vector<size_t>& rows) {
        return std::binary_search(rows.begin(), rows.end(), row);
      });
  LOCKSTEP_CHECK(group != groups.end());
  return *group;
}

namespace {

// Empty if unknown.
std::string GpuOf(const RankPlace& place) {
  if (!place.gpu_uuid.empty()) return absl::StrFormat("%s/%s", place.host, place.gpu_uuid);
  if (place.host.empty() || place.gpu.empty()) return {};
  return absl::StrFormat("%s/gpu %s", place.host, place.gpu);
}

std::map<std::string, size_t> RanksOfGpus(const Job& job) {
  std::map<std::string, size_t> ranks;
  for (const RankPlace& place : job.ranks) ++ranks[GpuOf(place)];
  return ranks;
}

}  // namespace

std::vector<double> GpuShares(const Job& job) {
  const std::map<std::string, size_t> ranks = RanksOfGpus(job);
  std::vector<double> shares;
  shares.reserve(job.ranks.size());
  for (const RankPlace& place : job.ranks) {
    const std::string gpu = GpuOf(place);
    shares.push_back(gpu.empty() ? 1.0 : 1.0 / static_cast<double>(ranks.at(gpu)));
  }
  return shares;
}

size_t GpuCount(const Job& job) {
  std::map<std::string, size_t> ranks = RanksOfGpus(job);
  const size_t placeless = ranks[""];
  return ranks.size() - 1 + placeless;
}

}  // namespace lockstep::training
