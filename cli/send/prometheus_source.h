// The source of `lockstep import --from-prometheus`, built from flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/client/http_client.h"
#include "import/prometheus_import.h"

namespace lockstep::cli {

struct PrometheusFlags {
  std::string url;                     // "": not used
  std::vector<std::string> selectors;  // "": all series
  std::string start;                   // "": the time of its oldest sample
  std::string end;                     // "": now
};

// Asks the source through `client` for its oldest time if no start is given. Fails with
// kInvalidArgument if a flag is invalid.
absl::StatusOr<importer::PrometheusSource> MakeSource(const PrometheusFlags& flags,
                                                      HttpClient& client, int64_t now_ms);

// The value of prometheus_tsdb_lowest_timestamp in the text of /metrics, in Unix milliseconds.
absl::StatusOr<int64_t> LowestTimeMs(std::string_view metrics);

}  // namespace lockstep::cli
