// The HTTP API of the server: remote write, the Prometheus query API, status pages, health.
//
// Writes are decoded on the calling thread and answered from a thread of the store. Whatever reads
// the store runs on a pool of its own, so that a heavy query never holds up a write; its answers
// come from that pool. The rest is answered before Handle() returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "api/api_stats.h"
#include "api/http.h"
#include "api/prices.h"
#include "api/query_log.h"
#include "api/server_info.h"
#include "ingest/limits.h"
#include "query/promql/parser.h"
#include "rules/hook_runner.h"
#include "rules/notifier.h"
#include "rules/rule_runner.h"
#include "scrape/scraper.h"
#include "storage/storage_admin.h"
#include "tenants/tenants.h"
#include "web/page_files.h"

namespace lockstep::api {

struct ApiOptions {
  int max_concurrent_queries = 20;
  int64_t max_query_samples = 50'000'000;  // held in memory by one query
  uint64_t max_query_bytes = 16 << 10;     // of one query's text
  std::chrono::milliseconds query_timeout = std::chrono::minutes(2);
  promql::Dialect dialect = promql::Dialect::kMetricsql;  // that of the engines
  IngestLimits ingest;
  Prices prices;                          // of training
  std::string backup_folder = "backups";  // below which requests may have backups written
  bool is_read_only = false;              // nobody expects the store to take writes
};

// Those limits that can change while the server runs.
struct ApiLimits {
  int64_t max_query_samples = 0;
  std::chrono::milliseconds query_timeout{};
};

struct ApiDependencies {
  tenants::Tenants& tenants;  // outlives the Api
  ServerInfo info;
  ApiOptions options;
  // Unix time in milliseconds; the system clock when empty.
  std::function<int64_t()> now_ms;
  // Outlives the Api; null: the admin endpoints are off.
  StorageAdmin* admin = nullptr;
  // Outlives the Api; null: queries are not logged.
  QueryLog* query_log = nullptr;
  // Outlives the Api; null: nothing is scraped.
  const scrape::Scraper* scraper = nullptr;
  // Outlives the Api; null: there are no rules.
  const rules::RuleRunner* rules = nullptr;
  // Outlives the Api; null: nobody is told of alerts.
  const rules::Notifier* notifier = nullptr;
  // Outlives the Api; null: alerts do nothing. For its counters alone.
  const rules::HookRunner* hooks = nullptr;
  // Reads the configuration again; blocks. Empty: /-/reload is off.
  std::function<absl::Status()> reload;
  // Of constants; empty: there is no page.
  std::span<const web::PageFile> page_files{};
};

// Safe from any thread. Its destructor cancels the queries that still run and waits for them;
// writes whose callback the store still holds must be over by then (close the store's queue first,
// or wait for the answers).
class Api : public Handler {
 public:
  // Until the first SetReady(true), and after SetReady(false), everything but /-/healthy, / and the
  // status pages that need no store is answered 503.
  virtual void SetReady(bool ready) = 0;
  // Stops the queries that run, and answers those that wait or come 503: the server is shutting
  // down. Streams of events and profiles end, too. To be called before what sends them goes.
  // Idempotent.
  virtual void StopQueries() = 0;
  // The configuration was read again: what it says now, as ServerInfo::config_yaml, or why it stays
  // as it was.
  virtual void ConfigReread(absl::StatusOr<std::string> config_yaml) = 0;
  // For requests from here on.
  virtual void SetLimits(const ApiLimits& limits) = 0;
  virtual ApiStats stats() const = 0;
};

std::unique_ptr<Api> MakeApi(ApiDependencies dependencies);

}  // namespace lockstep::api
