#include "training/job.h"

#include <algorithm>
#include <map>
#include <utility>

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

}  // namespace lockstep::training
