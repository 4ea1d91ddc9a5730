// Scrape configuration: `scrape_configs` as plain data, in Prometheus' terms.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scrape/config/discovery_config.h"
#include "scrape/config/http_client_config.h"
#include "scrape/config/relabel.h"

namespace lockstep::scrape {

// In the order of a scrape's Accept header.
enum class ScrapeProtocol {
  kPrometheusProto,
  kOpenMetrics100,
  kOpenMetrics001,
  kPrometheusText100,
  kPrometheusText004
};
inline constexpr size_t kScrapeProtocolCount = 5;
// "PrometheusProto"
std::string_view Name(ScrapeProtocol protocol);

// Limits per scrape; 0: no limit.
struct ScrapeLimits {
  uint64_t body_bytes = 0;  // uncompressed
  uint64_t samples = 0;     // after relabelling
  uint64_t labels = 0;      // per series
  uint64_t label_name_bytes = 0;
  uint64_t label_value_bytes = 0;
  uint64_t targets = 0;  // of the job, after relabelling
  uint64_t kept_dropped_targets = 0;
};

struct ScrapeConfig : DiscoveryConfig {
  std::string job_name;
  milliseconds interval{60'000};
  milliseconds timeout{10'000};
  std::string metrics_path = "/metrics";
  std::string scheme = "http";
  std::vector<std::pair<std::string, std::vector<std::string>>> params;
  bool honor_labels = false;
  bool honor_timestamps = true;
  bool track_timestamps_staleness = false;
  bool enable_compression = true;
  std::vector<ScrapeProtocol> protocols;  // most preferred first
  // The format of bodies whose Content-Type does not tell.
  std::vector<ScrapeProtocol> fallback_protocol;  // one or none
  bool scrape_native_histograms = false;          // otherwise reads the classic ones
  bool always_scrape_classic_histograms = false;  // reads both if a histogram has both
  ScrapeLimits limits;
  HttpClientConfig http;
  std::vector<RelabelRule> relabel_rules;
  std::vector<RelabelRule> metric_relabel_rules;
};

}  // namespace lockstep::scrape
