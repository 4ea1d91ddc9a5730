// Histograms of io.prometheus.client, which hold classic buckets, native ones or both, to samples. Throws
// protozero::exception on bytes that are no message.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/exposition/family_message.h"

namespace lockstep::exposition {

// The native one first, then the classic series: count, sum and buckets, that of +Inf among them. kInvalidArgument for a
// native histogram that breaks the rules.
absl::StatusOr<std::vector<FamilySample>> ReadHistogram(std::string_view message,
                                                        CounterResetHint hint,
                                                        const HistogramChoice& choice);

}  // namespace lockstep::exposition
