// Converts io.prometheus.client histograms, which have classic buckets, native ones or both, to
// samples. Throws protozero::exception for malformed messages.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/exposition/family_message.h"

namespace lockstep::exposition {

// The native histogram first, then the classic series: count, sum and buckets including +Inf.
// kInvalidArgument for an invalid native histogram.
absl::StatusOr<std::vector<FamilySample>> ReadHistogram(std::string_view message,
                                                        CounterResetHint hint,
                                                        const HistogramChoice& choice);

}  // namespace lockstep::exposition
