#include "profile/heap_profile.h"

#include <malloc.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/clock.h"
#include "profile/profile_builder.h"

namespace lockstep::profile {
namespace {

constexpr std::string_view kProgram = "lockstep";
constexpr std::string_view kAllocated = "allocated";

}  // namespace

HeapState ReadHeapState() {
  const struct mallinfo2 heap = mallinfo2();
  HeapState state;
  state.allocated_bytes = heap.uordblks + heap.hblkhd;
  state.free_bytes = heap.fordblks;
  state.budget = MemoryBudget::OfProcess().stats();
  state.time_ns = SystemTimeNs();
  return state;
}

std::string HeapProfile(const HeapState& state) {
  ProfileBuilder builder({{"free_space", "bytes"}, {"inuse_space", "bytes"}});
  const auto add = [&builder](std::initializer_list<std::string_view> stack, uint64_t free_bytes,
                              uint64_t used_bytes) {
    if (free_bytes == 0 && used_bytes == 0) return;
    const int64_t values[] = {static_cast<int64_t>(free_bytes), static_cast<int64_t>(used_bytes)};
    builder.AddNames(stack, values);
  };
  uint64_t left_bytes = state.allocated_bytes;
  for (size_t i = 0; i < kMemoryAccountCount; ++i) {
    // The charged memory may slightly exceed what was allocated.
    const uint64_t bytes = std::min(left_bytes, state.budget.accounts[i].held_bytes);
    add({Name(static_cast<MemoryAccount>(i)), kAllocated, kProgram}, 0, bytes);
    left_bytes -= bytes;
  }
  add({"in no account", kAllocated, kProgram}, 0, left_bytes);
  add({"free", kProgram}, state.free_bytes, 0);
  builder.SetTime(state.time_ns, 0);
  builder.AddComment("Names stand for accounts of the memory budget, not for functions.");
  return builder.Finish();
}

}  // namespace lockstep::profile
