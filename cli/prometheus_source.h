// The running Prometheus of `lockstep import --from-prometheus`: what is asked of it, from flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/http_client.h"
#include "import/prometheus_import.h"

namespace lockstep::cli {

struct PrometheusFlags {
  std::string url;                     // "": none is meant
  std::vector<std::string> selectors;  // "": all series
  std::string start;                   // "": of the oldest sample that it has
  std::string end;                     // "": now
};

// Asks `client`, of the source, for its oldest time if no start is given. kInvalidArgument: a flag makes no sense.
absl::StatusOr<importer::PrometheusSource> MakeSource(const PrometheusFlags& flags,
                                                      HttpClient& client, int64_t now_ms);

// The value of prometheus_tsdb_lowest_timestamp in the text of /metrics, in Unix milliseconds.
absl::StatusOr<int64_t> LowestTimeMs(std::string_view metrics);

}  // namespace lockstep::cli
