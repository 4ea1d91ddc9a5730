// `{{schema:0 sum:5 buckets:[1 2]}}`, and series of histograms that grow by a constant histogram.
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/histogram.h"

namespace lockstep::notation {

struct NotedHistogram {
  Histogram histogram;
  bool names_hint = false;
};

// `text` includes the braces.
absl::StatusOr<NotedHistogram> ParseHistogram(std::string_view text);

// base + factor * increment, bucket by bucket, at base's schema. Precondition: base's schema is not
// finer than the increment's; zero thresholds and custom bounds are equal.
absl::StatusOr<Histogram> AddScaled(const Histogram& base, double factor,
                                    const Histogram& increment);

}  // namespace lockstep::notation
