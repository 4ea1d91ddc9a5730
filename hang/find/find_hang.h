// Finds why a job hangs, from the records of its ranks. Pure, but for the budget.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "hang/find/hang_answer.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

// `records` has at most one for each rank; `known_ranks` are those that the job is known to have
// from elsewhere, may be empty, and are in order. What the search makes of them is charged to
// `budget` as texts, and the errors are the budget's; null: not charged, and no errors.
absl::StatusOr<HangAnswer> FindHang(std::span<const RankRecord> records,
                                    std::span<const int32_t> known_ranks, QueryBudget* budget);

}  // namespace lockstep::hang
