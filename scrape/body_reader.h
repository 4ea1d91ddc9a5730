// Decodes a target's response body to samples, exemplars and metadata. Changes only its arguments.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "scrape/scrape_batch.h"
#include "scrape/target.h"
#include "scrape/target_metadata.h"
#include "scrape/target_series.h"

namespace lockstep::scrape {

enum class BodyFormat { kPrometheusText, kOpenMetricsText, kProtobuf };

// The format of a body with that Content-Type. Fails if it is not supported and the configuration
// has no fallback.
absl::StatusOr<BodyFormat> FormatOf(std::string_view content_type, const ScrapeConfig& config);

struct ScrapedBody {
  std::string_view bytes;
  BodyFormat format;
  int64_t timestamp_ms = 0;  // for samples without one
};

// Counts up to where the body was read.
struct BodyCounts {
  uint64_t samples = 0;
  uint64_t kept = 0;   // after relabelling
  uint64_t added = 0;  // of these, from series with a new text
};

// Call between series.Begin() and End() or Abandon(). After an error, which names the line or the
// metric family, the caller must clear the batch.
absl::Status ReadBody(const ScrapedBody& body, const Target& target, TargetSeries& series,
                      TargetMetadata& metadata, ScrapeBatch& batch, BodyCounts& counts);

}  // namespace lockstep::scrape
