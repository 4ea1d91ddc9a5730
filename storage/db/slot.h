// Slot: which of 4096 places a series belongs to, by a hash that never changes; a shard owns a run
// of slots. Series of one job whose ranks are neighbours share a slot, so a question about them is
// answered by one shard. On disk by its effect: docs/formats/keys.md. Pure functions.
#pragma once

#include <cstdint>

#include "model/labels.h"

namespace lockstep {

inline constexpr uint32_t kSlotCount = 4096;
inline constexpr uint32_t kRanksPerSlot = 256;

// By tenant, job and rank / kRanksPerSlot; the slots of a job without ranks are those of rank 0.
uint32_t SlotOf(const LabelSet& labels);

// Precondition: slot < kSlotCount, 1 <= shard_count <= kSlotCount.
uint32_t ShardOfSlot(uint32_t slot, uint32_t shard_count);

}  // namespace lockstep
