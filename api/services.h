// Services: what the handlers of the routes share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "answers/prices.h"
#include "api/admin/notifications.h"
#include "api/admin/profile_handlers.h"
#include "api/admin/server_info.h"
#include "api/admin/status_handlers.h"
#include "api/query/active_queries.h"
#include "api/query/query_log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "ingest/write/limits.h"
#include "query/promql/parser/parser.h"
#include "rules/alerts/notifier.h"
#include "rules/hooks/hook_runner.h"
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
  promql::Dialect dialect = promql::Dialect::kMetricsql;  // matches the engines' dialect
  IngestLimits ingest;
  answers::Prices prices;                 // for training jobs
  std::string backup_folder = "backups";  // contains the backups made by request
  bool is_read_only = false;              // the store is expected to reject writes
};

struct ApiDependencies {
  tenants::Tenants& tenants;  // must outlive the Api
  ServerInfo info;
  ApiOptions options;
  // Unix time in milliseconds; the system clock when empty.
  std::function<int64_t()> now_ms;
  // Must outlive the Api; null: the admin endpoints are off.
  StorageAdmin* admin = nullptr;
  // Must outlive the Api; null: queries are not logged.
  QueryLog* query_log = nullptr;
  // Must outlive the Api; null: nothing is scraped.
  const scrape::Scraper* scraper = nullptr;
  // Must outlive the Api; null: there are no rules.
  const rules::RuleRunner* rules = nullptr;
  // Must outlive the Api; null: alerts are not sent.
  const rules::Notifier* notifier = nullptr;
  // Must outlive the Api; null: alerts run no hooks. Used only for its counters.
  const rules::HookRunner* hooks = nullptr;
  // Reloads the configuration; blocks. Empty: /-/reload is off.
  std::function<absl::Status()> reload;
  // Refers to constants; empty: there is no page.
  std::span<const web::PageFile> page_files{};
};

// The dependencies do not change after construction; the other members are safe from any thread.
struct Services : ApiDependencies {
  explicit Services(ApiDependencies dependencies);

  Mutex config_mutex;
  ConfigState config LOCKSTEP_GUARDED_BY(config_mutex);
  std::atomic<uint64_t> query_samples_total{0};
  Notifications notifications;
  ProfileRunner profiles;
  ActiveQueries active_queries;
};

}  // namespace lockstep::api
