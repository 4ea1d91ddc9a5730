// Joins the process groups of all ranks' records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

struct Member {
  int32_t rank = 0;
  const RankRecord* record = nullptr;  // null: there is no dump
  std::optional<uint32_t>
      group_in_record{};                  // its index there; empty: the dump does not mention it
  std::optional<int64_t> last_entered{};  // empty: not known
  int64_t first_kept = 1;
};

struct JobGroup {
  std::string name;
  std::string description;
  std::vector<int32_t> order;   // ranks as the group numbers them; empty if not known
  std::vector<Member> members;  // by rank
};

// `ranks` are all ranks that the job is known to have, whether they sent something or not. The
// result refers to the records. Many records may name many groups of many ranks, so all is charged
// to `budget`, if there is one, before it is made.
absl::StatusOr<std::vector<JobGroup>> JoinGroups(std::span<const RankRecord* const> records,
                                                 std::span<const int32_t> ranks,
                                                 QueryBudget* budget);

}  // namespace lockstep::hang
