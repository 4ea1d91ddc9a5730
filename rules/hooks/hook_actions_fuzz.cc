// Feeds the decoder of kept hook actions: whatever it reads encodes again and decodes to the same.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "rules/hooks/hook_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::rules;
  std::vector<HookAction> actions, again;
  if (!DecodeKeptHookActions({reinterpret_cast<const char*>(data), size}, actions)) return 0;
  LOCKSTEP_CHECK(DecodeKeptHookActions(EncodeKeptHookActions(actions), again));
  LOCKSTEP_CHECK(again == actions);
  return 0;
}
