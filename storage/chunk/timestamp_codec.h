// Times of samples, strictly ascending: the distances to a base time, as an integer stream. A
// steady scrape interval takes no bits per sample, and jitter takes about its own width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

void EncodeTimestamps(std::string& out, int64_t base_ms, std::span<const int64_t> timestamps_ms);

// Replaces `timestamps_ms`. kDataLoss on anything malformed, times that do not ascend included. The
// caller bounds `count`.
absl::Status DecodeTimestamps(std::string_view& in, int64_t base_ms, size_t count,
                              std::vector<int64_t>& timestamps_ms);

}  // namespace lockstep
