// Limits of what is read from a block. Files are given whole; what they say of themselves is bounded here.
#pragma once

#include <cstddef>

namespace lockstep::tsdb_blocks {

// Of one native histogram. 160 is what a sender keeps as a rule.
inline constexpr size_t kMaxHistogramSpans = 4096;
inline constexpr size_t kMaxHistogramBuckets = 64 << 10;
inline constexpr size_t kMaxSeriesLabels = 4096;

}  // namespace lockstep::tsdb_blocks
