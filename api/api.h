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

#include "answers/live_jobs.h"
#include "api/api_stats.h"
#include "api/http.h"
#include "api/prices.h"
#include "api/query_log.h"
#include "api/server_info.h"
#include "ingest/ingester.h"
#include "ingest/limits.h"
#include "ingest/otlp/translation.h"
#include "query/engine/engine.h"
#include "rules/hook_runner.h"
#include "rules/notifier.h"
#include "rules/rule_runner.h"
#include "scrape/scraper.h"
#include "storage/kept_rows.h"
#include "storage/storage.h"
#include "storage/storage_admin.h"
#include "web/page_files.h"

namespace lockstep::api {

struct ApiOptions {
  int max_concurrent_queries = 20;
  int64_t max_query_samples = 50'000'000;       // held in memory by one query
  uint64_t max_query_bytes = 16 << 10;          // of one query's text
  size_t query_cache_bytes = size_t{64} << 20;  // 0: nothing is kept
  std::chrono::milliseconds query_timeout = std::chrono::minutes(2);
  IngestLimits ingest;
  otlp::Translation otlp;
  Prices prices;                          // of training
  std::string backup_folder = "backups";  // below which requests may have backups written
  bool is_read_only = false;              // nobody expects the store to take writes
};

// Those limits that can change while the server runs.
struct ApiLimits {
  int64_t max_query_samples = 0;
  std::chrono::milliseconds query_timeout{};
  uint64_t max_samples_per_second = 0;          // see IngestLimits
  uint64_t max_samples_per_second_per_job = 0;  // likewise
};

struct ApiDependencies {
  Storage& storage;              // outlives the Api
  const engine::Engine& engine;  // outlives the Api
  ServerInfo info;
  ApiOptions options;
  // Unix time in milliseconds; the system clock when empty.
  std::function<int64_t()> now_ms;
  // What is known of the jobs that run. Outlives the Api; null: nothing is kept.
  answers::LiveJobs* live_jobs = nullptr;
  // What was written, without what is computed from it: training jobs are loaded from that. Outlives the Api; null:
  // `storage`.
  const Storage* written = nullptr;
  // Outlives the Api; null: the admin endpoints are off.
  StorageAdmin* admin = nullptr;
  // Outlives the Api; null: queries are not logged.
  QueryLog* query_log = nullptr;
  // Outlives the Api, which has what was kept there, and keeps in it what lives in memory: metadata, exemplars and how
  // far pushed logs were taken. Null: nothing is kept.
  KeptRows* kept = nullptr;
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
  // Stops the queries that run, and answers those that wait or come 503: the server is shutting down.
  // Idempotent.
  virtual void StopQueries() = 0;
  // For requests from here on.
  virtual void SetLimits(const ApiLimits& limits) = 0;
  // Takes what came in otherwise than by a request; as Ingester::Store().
  virtual void Store(DecodedWrite write, Ingester::Done done) = 0;
  virtual ApiStats stats() const = 0;
};

std::unique_ptr<Api> MakeApi(ApiDependencies dependencies);

}  // namespace lockstep::api
