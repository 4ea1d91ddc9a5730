// Feeds the reader of profiler traces, and creates records from the result. The first byte selects
// the size of the pieces, which must not change the outcome.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "import/traces/kineto/kineto_reader.h"
#include "import/traces/kineto_records.h"
#include "import/traces/profile/step_profile.h"

namespace lockstep::traces {
namespace {

struct Outcome {
  size_t record_count = 0;
  size_t device_event_count = 0;
  std::string problems;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome ReadInPieces(std::string_view file, size_t piece_bytes) {
  KinetoReader reader;
  while (!file.empty()) {
    const std::string_view piece = file.substr(0, piece_bytes);
    reader.Feed(piece);
    file.remove_prefix(piece.size());
  }
  reader.Finish();
  std::vector<TraceRecord> records;
  const TraceProfile profile = ProfileOf(reader.trace());
  AppendRecords(reader.trace(), profile, records);
  for (const DeviceStep& step : profile.device_steps) {
    LOCKSTEP_CHECK(step.exposed_communication_seconds <= step.communication_seconds);
    LOCKSTEP_CHECK(step.communication_seconds <= step.busy_seconds);
  }
  return {records.size(), reader.trace().device_events.size(), reader.problems().ToString()};
}

}  // namespace
}  // namespace lockstep::traces

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  LOCKSTEP_CHECK(lockstep::traces::ReadInPieces(file, 1 + data[0] % 61) ==
                 lockstep::traces::ReadInPieces(file, file.size()));
  return 0;
}
