// Feeds kept stream state: a stream restored from it can be kept again, and parses more of its log.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ingest/push/log_stream.h"

namespace lockstep::push {
namespace {

// Ends any held line, and continues in several formats.
constexpr std::string_view kMore =
    "\n{\"step\": 8, \"loss\": 2.5, \"rank\": 3}\n9,0.5,1.5\n[2026-03-02 09:15:48] iteration 10/ "
    "20 | lm "
    "loss: 2.5E+00 |\n{'loss': 1.5, 'epoch': 2}\n";

void CheckState(std::string_view state) {
  const auto stream = LogStream::Restore(state, IngestLimits());
  if (!stream.ok()) return;
  std::string kept;
  if ((*stream)->AppendState(kept)) {
    LOCKSTEP_CHECK(LogStream::Restore(kept, IngestLimits()).ok());
  }
  LogPush push;
  push.bytes = kMore;
  push.is_last = true;
  if ((*stream)->Begin(push).ok()) (*stream)->End(true);
}

}  // namespace
}  // namespace lockstep::push

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::push::CheckState({reinterpret_cast<const char*>(data), size});
  return 0;
}
