// Recognises and reads one rank's evidence of a hang: a flight recorder's dump or a stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

enum class EvidenceKind : uint8_t { kFlightRecorder, kStack };

// "flight-recorder", "stack": the names of these formats.
std::string_view Name(EvidenceKind kind);

// By the first bytes; nothing if it is neither.
std::optional<EvidenceKind> KindOfEvidence(std::string_view head);

// The rank in a file's name, as PyTorch and people name dumps and stacks: after "rank", else at the
// end ("nccl_trace_rank_3", "rank3.stack.txt", "dump-17").
std::optional<int32_t> RankInName(std::string_view path);

// A record without rank and times. `memory` (may be null) is charged for what it takes to read.
// kInvalidArgument with what is wrong, kOutOfRange if it is too large, or the errors of
// MemoryCharge::Add().
absl::StatusOr<RankRecord> ReadEvidence(std::string_view bytes, MemoryCharge* memory);

}  // namespace lockstep::hang
