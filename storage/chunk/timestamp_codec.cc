#include "storage/chunk/timestamp_codec.h"

#include "storage/chunk/integer_codec.h"

namespace lockstep {

void EncodeTimestamps(std::string& out, int64_t base_ms, std::span<const int64_t> timestamps_ms) {
  std::vector<int64_t> distances;
  distances.reserve(timestamps_ms.size());
  for (const int64_t t : timestamps_ms) {
    distances.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(t) - static_cast<uint64_t>(base_ms)));
  }
  EncodeIntegers(out, distances);
}

absl::Status DecodeTimestamps(std::string_view& in, int64_t base_ms, size_t count,
                              std::vector<int64_t>& timestamps_ms) {
  LOCKSTEP_RETURN_IF_ERROR(DecodeIntegers(in, count, timestamps_ms));
  for (size_t i = 0; i < timestamps_ms.size(); ++i) {
    int64_t& t = timestamps_ms[i];
    t = static_cast<int64_t>(static_cast<uint64_t>(t) + static_cast<uint64_t>(base_ms));
    if (i > 0 && t <= timestamps_ms[i - 1]) {
      return absl::DataLossError("timestamps do not ascend");
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
