// Finds why a job hangs, from the records of its ranks. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "hang/find/hang_answer.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

// `records` has at most one for each rank; `known_ranks` are those that the job is known to have
// from elsewhere, may be empty, and are in order.
HangAnswer FindHang(std::span<const RankRecord> records, std::span<const int32_t> known_ranks);

}  // namespace lockstep::hang
