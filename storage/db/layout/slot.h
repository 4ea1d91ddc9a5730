// Slot: the one of 4096 slots that a series belongs to, by a hash that never changes; a shard owns
// a range of slots. Series of one job with neighbouring ranks share a slot, so one shard answers a
// question about them. The hash affects what is on disk: docs/formats/keys.md. Pure functions.
#pragma once

#include <cstdint>

#include "model/labels.h"

namespace lockstep {

inline constexpr uint32_t kSlotCount = 4096;
inline constexpr uint32_t kRanksPerSlot = 256;

// By tenant, job and rank / kRanksPerSlot; series of a job without ranks use the slots of rank 0.
uint32_t SlotOf(const LabelSet& labels);

// Precondition: slot < kSlotCount, 1 <= shard_count <= kSlotCount.
uint32_t ShardOfSlot(uint32_t slot, uint32_t shard_count);

}  // namespace lockstep
