// Feeds the progress file of `lockstep tail`: what parses must be written back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "import/tail/tail_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto state = lockstep::tail::ParseTailState({reinterpret_cast<const char*>(data), size});
  if (!state.ok()) return 0;
  const std::string text = lockstep::tail::ToText(*state);
  const auto again = lockstep::tail::ParseTailState(text);
  LOCKSTEP_CHECK(again.ok());
  LOCKSTEP_CHECK(lockstep::tail::ToText(*again) == text);
  return 0;
}
