// Limits for blocks. Files are given as a whole; what they claim is bounded here.
#pragma once

#include <cstddef>

namespace lockstep::tsdb_blocks {

// Per native histogram. Senders usually keep 160.
inline constexpr size_t kMaxHistogramSpans = 4096;
inline constexpr size_t kMaxHistogramBuckets = 64 << 10;
inline constexpr size_t kMaxSeriesLabels = 4096;

}  // namespace lockstep::tsdb_blocks
