// Explains to people why samples were not stored. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "storage/db/series/series_limit.h"
#include "storage/db/write/write_group.h"
#include "storage/write.h"

namespace lockstep {

inline constexpr size_t kMaxLabelSetBytes = size_t{64} << 10;
inline constexpr size_t kMaxHistogramNumbers = 10'000;

// Why no sample of this series can be stored, or "": labels too long, or a histogram that is
// missing, malformed or too large.
std::string WhyUnstorable(const SeriesWrite& write);

// Why samples in `counts` of a series with this retention were rejected: "3 samples are older than
// the retention of 15d", or "" if none was.
std::string WhyRejected(const SliceCounts& counts, int64_t keep_ms, const LabelSet& series,
                        const SeriesLimit& limit);

}  // namespace lockstep
