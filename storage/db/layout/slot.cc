#include "storage/db/layout/slot.h"

#include <charconv>
#include <string_view>

#include "base/check.h"
#include "model/tenant.h"

namespace lockstep {
namespace {

// FNV-1a over the parts, with a zero byte after each, folded so that the low bits depend on all
// bits.
class SlotHash {
 public:
  void Add(std::string_view part) {
    for (const char byte : part) AddByte(static_cast<uint8_t>(byte));
    AddByte(0);
  }
  uint32_t slot() const {
    uint64_t bits = state_;
    bits ^= bits >> 32;
    bits *= 0x9e3779b97f4a7c15u;
    return static_cast<uint32_t>(bits >> 52);
  }

 private:
  void AddByte(uint8_t byte) {
    state_ ^= byte;
    state_ *= 0x100000001b3u;
  }
  uint64_t state_ = 0xcbf29ce484222325u;
};

uint32_t RankBlock(std::string_view rank) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), number);
  if (error != std::errc() || end != rank.data() + rank.size()) return 0;
  return number / kRanksPerSlot;
}

}  // namespace

uint32_t SlotOf(const LabelSet& labels) {
  static_assert(kSlotCount == 1u << 12, "the hash gives 12 bits");
  SlotHash hash;
  hash.Add(TenantOf(labels));
  hash.Add(labels.Get("job"));
  hash.Add(std::to_string(RankBlock(labels.Get("rank"))));
  return hash.slot();
}

uint32_t ShardOfSlot(uint32_t slot, uint32_t shard_count) {
  LOCKSTEP_CHECK(slot < kSlotCount && shard_count >= 1 && shard_count <= kSlotCount);
  return slot * shard_count / kSlotCount;
}

}  // namespace lockstep
