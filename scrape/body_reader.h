// A body that a target answered with, to samples, exemplars and metadata. Pure but for what it is given.
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

// How to read a body of that Content-Type. Fails on one that says nothing readable, unless the configuration
// says what to read it as.
absl::StatusOr<BodyFormat> FormatOf(std::string_view content_type, const ScrapeConfig& config);

struct ScrapedBody {
  std::string_view bytes;
  BodyFormat format;
  int64_t timestamp_ms = 0;  // of samples that have none
};

// Counted as far as the body was read.
struct BodyCounts {
  uint64_t samples = 0;
  uint64_t kept = 0;   // after relabelling
  uint64_t added = 0;  // of them, of series whose text is new
};

// Between series.Begin() and End() or Abandon(). After an error, which names the line or the metric family, what the batch got is
// to be cleared.
absl::Status ReadBody(const ScrapedBody& body, const Target& target, TargetSeries& series,
                      TargetMetadata& metadata, ScrapeBatch& batch, BodyCounts& counts);

}  // namespace lockstep::scrape
