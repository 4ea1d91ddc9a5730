// The API's counters since its creation, for export as metrics.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/budget/memory_budget.h"
#include "ingest/push/push_stats.h"
#include "ingest/write/ingest_stats.h"
#include "query/cache/range_cache.h"
#include "rules/rule_stats.h"
#include "scrape/scrape_stats.h"

namespace lockstep::api {

// Upper bounds of the duration buckets, in seconds; one more bucket reaches to infinity.
inline constexpr std::array<double, 11> kDurationBoundsSeconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 5, 30, 120};

struct RequestCount {
  std::string handler;  // the route: "/api/v1/label/:name/values"; "other" if none matched
  int status = 0;
  uint64_t count = 0;
};

struct HandlerDuration {
  std::string handler;
  std::array<uint64_t, kDurationBoundsSeconds.size() + 1> bucket_counts{};  // not cumulative
  double sum_seconds = 0;
  uint64_t count = 0;
};

// A snapshot; fields may be slightly out of sync. Lists are sorted by handler (and status).
struct ApiStats {
  std::vector<RequestCount> requests;
  std::vector<HandlerDuration> durations;
  uint64_t queries_running = 0;
  uint64_t queries_queued = 0;
  uint64_t queries_refused = 0;      // waited too long, or the queue was full
  uint64_t query_samples_total = 0;  // read by selectors, once per step that uses them
  cache::RangeCacheStats range_cache;
  IngestStats ingest;
  push::PushStats push;
  uint64_t metadata_metric_count = 0;
  MemoryBudgetStats memory;  // of the process
  scrape::ScrapeStats scrape;
  rules::RuleStats rules;
};

}  // namespace lockstep::api
