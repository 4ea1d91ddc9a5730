#include "cli/server/serve.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/api.h"
#include "base/budget/memory_budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory/free_memory.h"
#include "base/threads/processors.h"
#include "cli/help/version.h"
#include "cli/process/data_folder.h"
#include "cli/process/service_manager.h"
#include "cli/server/doors.h"
#include "cli/server/live_limits.h"
#include "cli/settings/config_file.h"
#include "cli/settings/effective_config.h"
#include "rules/alerts/notifier.h"
#include "rules/config/rules_config.h"
#include "rules/hooks/hook_runner.h"
#include "rules/rule_runner.h"
#include "scrape/config/scrape_config_file.h"
#include "scrape/scraper.h"
#include "server/http_server.h"
#include "server/metrics/self_metrics.h"
#include "server/otlp_grpc/otlp_grpc_server.h"
#include "server/shutdown_signal.h"
#include "storage/db/store.h"
#include "tenants/tenants.h"
#include "web/page_files.h"

namespace lockstep::cli {
namespace {

// The time from the signal to the exit: requests in flight finish first, then the data in memory is
// sealed (StoreOptions::close_patience), and the rest is for the disk. Kubernetes kills after 30 s.
constexpr std::chrono::seconds kShutdownDeadline{20};
constexpr std::chrono::seconds kRequestPatience{7};

std::string Hostname() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

std::string TextOf(const ServeOptions& options, std::string_view name) {
  for (const auto& [known, text] : options.texts) {
    if (known == name) return text;
  }
  return "";
}

// The parts of the file that can be reloaded.
struct Jobs {
  scrape::ScrapeConfig scrape_defaults;
  std::vector<scrape::ScrapeConfig> scrape;
  rules::RulesConfig rules;
  std::vector<rules::RuleGroup> groups;
};

api::ServerInfo MakeServerInfo(const ServeOptions& options, const Jobs& jobs) {
  api::ServerInfo info;
  info.version = Version();
  info.revision = Revision();
  info.compiler = Compiler();
  info.start_time_ms = SystemTimeMs();
  info.hostname = Hostname();
  info.working_folder = AbsolutePath(".");
  info.storage_folder = AbsolutePath(options.data_folder);
  info.retention = TextOf(options, "storage.retention.time");
  info.flags = options.texts;
  info.config_yaml =
      EffectiveConfig({jobs.scrape_defaults, jobs.scrape, jobs.rules}, options.texts);
  return info;
}

// More concurrent queries would hold more results in memory without finishing any sooner.
int ConcurrentQueriesOfThisMachine() {
  return static_cast<int>(std::min<size_t>(4 * UsableProcessorCount(), 20));
}

engine::EngineOptions EngineOptionsOf(const ServeOptions& options) {
  engine::EngineOptions engine_options;
  engine_options.lookback_ms = options.lookback_ms;
  engine_options.dialect = DialectOf(options);
  return engine_options;
}

api::ApiOptions MakeApiOptions(const ServeOptions& options) {
  api::ApiOptions api_options;
  api_options.max_concurrent_queries = options.max_concurrent_queries != 0
                                           ? options.max_concurrent_queries
                                           : ConcurrentQueriesOfThisMachine();
  api_options.dialect = DialectOf(options);
  api_options.max_query_samples = options.max_query_samples;
  api_options.max_query_bytes = options.max_query_bytes;
  api_options.query_timeout = std::chrono::milliseconds(options.query_timeout_ms);
  api_options.prices = options.prices;
  api_options.backup_folder = AbsolutePath(
      options.backup_folder.empty() ? options.data_folder + "/backups" : options.backup_folder);
  api_options.is_read_only = options.read_only;
  return api_options;
}

tenants::TenantOptions MakeTenantOptions(const ServeOptions& options) {
  tenants::TenantOptions tenant_options;
  tenant_options.engine = EngineOptionsOf(options);
  tenant_options.query_cache_bytes = options.query_cache_bytes;
  tenant_options.otlp = options.otlp;
  tenant_options.otlp.lookback_ms = options.lookback_ms;
  return tenant_options;
}

// Null if not configured.
absl::StatusOr<std::unique_ptr<api::QueryLog>> OpenQueryLog(const ServeOptions& options) {
  if (options.query_log_file.empty()) return std::unique_ptr<api::QueryLog>();
  return api::QueryLog::Open(options.query_log_file);
}

// Ends the process if an orderly shutdown takes too long because a handler or a disk hangs.
// Acknowledged data is on disk by then.
void StartShutdownDeadline() {
  std::thread([] {
    std::this_thread::sleep_for(kShutdownDeadline);
    Log(LogLevel::kError, "shutdown took too long; exiting now");
    _exit(kFailure);
  }).detach();
}

void TellManager(std::string_view state) {
  if (const absl::Status told = TellServiceManager(state); !told.ok()) {
    Log(LogLevel::kWarn, "cannot notify the service manager", {{"error", Message(told)}});
  }
}

ExitCode Failed(const absl::Status& status) {
  Log(LogLevel::kError, "cannot serve", {{"error", Message(status)}});
  return absl::IsInvalidArgument(status) ? kUsage : kFailure;
}

// Empty if there is no file.
absl::StatusOr<Jobs> ReadJobs(const ServeOptions& options) {
  Jobs jobs;
  if (options.config_file.empty()) return jobs;
  LOCKSTEP_ASSIGN_OR_RETURN(jobs.scrape_defaults, scrape::ReadScrapeDefaults(options.config_file));
  LOCKSTEP_ASSIGN_OR_RETURN(jobs.scrape, scrape::ReadScrapeConfigs(options.config_file));
  LOCKSTEP_ASSIGN_OR_RETURN(jobs.rules, rules::ReadRulesConfig(options.config_file));
  jobs.rules.defaults.dialect = DialectOf(options);
  LOCKSTEP_ASSIGN_OR_RETURN(jobs.groups,
                            rules::ReadRuleFiles(jobs.rules.rule_files, jobs.rules.defaults));
  if (options.read_only && !(jobs.scrape.empty() && jobs.groups.empty())) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: scrape_configs and rules cannot be used with storage.read-only", options.config_file));
  }
  return jobs;
}

// Background workers, independent of requests.
struct Workers {
  scrape::Scraper& scraper;
  rules::RuleRunner& rules;
  rules::Notifier& notifier;
  rules::HookRunner& hooks;
};

void Configure(Jobs jobs, Workers workers) {
  workers.scraper.Configure(std::move(jobs.scrape));
  workers.rules.Configure(std::move(jobs.groups), jobs.rules.external_labels);
  workers.hooks.Configure(jobs.rules.remediation);
  workers.notifier.Configure(std::move(jobs.rules));
}

// The servers that accept requests, once they are running, and what they use.
struct Doors {
  std::atomic<server::HttpServer*> http{nullptr};
  std::atomic<server::OtlpGrpcServer*> otlp_grpc{nullptr};
  Store& store;
  tenants::Tenants& tenants;
  std::atomic<api::Api*> api{nullptr};
};

absl::Status ReloadWeb(const ServeOptions& options, const Doors& doors) {
  server::HttpServer* const http = doors.http.load();
  if (options.web_config_file.empty() || http == nullptr) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const server::WebConfig web,
                            server::ReadWebConfig(options.web_config_file));
  // Reload the stricter server first: whatever it accepts, the other accepts too.
  if (server::OtlpGrpcServer* const otlp_grpc = doors.otlp_grpc.load()) {
    LOCKSTEP_RETURN_IF_ERROR(otlp_grpc->Reload(web));
  }
  return http->Reload(web);
}

// Reloads the scrape jobs, rules and limits of the file, and the web configuration. An invalid file
// changes nothing.
absl::Status Reload(const ServeOptions& options, Workers workers, const Doors& doors) {
  const absl::StatusOr<ServeOptions> fresh = ReadServeOptions(options.config_file, options.flags);
  absl::StatusOr<Jobs> jobs = fresh.ok() ? ReadJobs(options) : fresh.status();
  const absl::Status status = jobs.ok() ? ReloadWeb(options, doors) : jobs.status();
  api::Api* const api = doors.api.load();
  if (!status.ok()) {
    Log(LogLevel::kError, "cannot reload the configuration; keeping the old one",
        {{"error", Message(status)}});
    if (api != nullptr) api->ConfigReread(status);
    return status;
  }
  Log(LogLevel::kInfo, "configuration reloaded",
      {{"jobs", jobs->scrape.size()}, {"rule_groups", jobs->groups.size()}});
  if (api != nullptr) {
    api->ConfigReread(EffectiveConfig({jobs->scrape_defaults, jobs->scrape, jobs->rules},
                                      SettingsAfterReload(options.texts, fresh->texts)));
  }
  Configure(*std::move(jobs), workers);
  if (api != nullptr) {
    SetLimits(*fresh, {&doors.store, &doors.tenants, api, doors.http.load()});
  }
  return absl::OkStatus();
}

std::string ExternalUrl(const ServeOptions& options, const api::ServerInfo& info) {
  if (!options.external_url.empty()) return options.external_url;
  return absl::StrFormat("http://%s:%d", info.hostname, options.port);
}

rules::RuleRunnerOptions MakeRuleOptions(const ServeOptions& options, const api::ServerInfo& info) {
  using std::chrono::milliseconds;
  rules::RuleRunnerOptions rules;
  rules.timing.resend_delay = milliseconds(options.alert_resend_delay_ms);
  rules.timing.outage_tolerance = milliseconds(options.alert_outage_tolerance_ms);
  rules.timing.for_grace_period = milliseconds(options.alert_grace_period_ms);
  rules.query_timeout = milliseconds(options.query_timeout_ms);
  rules.max_query_samples = options.max_query_samples;
  rules.external_url = ExternalUrl(options, info);
  return rules;
}

// Derived metrics are available to rules just like stored ones.
absl::StatusOr<rules::RuleHome> HomeOf(tenants::Tenants& tenants, const std::string& name) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::shared_ptr<tenants::Tenant> tenant,
                            tenants.ForWriting(name));
  return rules::RuleHome{.storage = &tenant->storage,
                         .engine = &tenant->rule_engine,
                         .store = [tenant](DecodedWrite write, Ingester::Done done) {
                           tenant->ingester.Store(std::move(write), std::move(done));
                         }};
}

void WaitForSignal(const ServeOptions& options, Workers workers, api::Api& api,
                   const Doors& doors) {
  const int signal =
      server::AwaitShutdownSignal([&] { Reload(options, workers, doors).IgnoreError(); });
  Log(LogLevel::kInfo, "shutting down", {{"signal", signal}});
  TellManager("STOPPING=1");
  server::ExitOnShutdownSignal();
  StartShutdownDeadline();
  workers.rules.Stop();
  workers.scraper.Stop();
  api.StopQueries();
  // Both get the full time.
  std::jthread grpc_shutdown([otlp_grpc = doors.otlp_grpc.load()] {
    if (otlp_grpc != nullptr) otlp_grpc->Shutdown(kRequestPatience);
  });
  if (!doors.http.load()->Shutdown(kRequestPatience)) {
    Log(LogLevel::kWarn, "some requests were aborted");
  }
}

// Rows of the store that stay in memory. A query over a month reads the rows of whole blocks for a
// few of their series; from the files that takes five times as long.
size_t BlockCacheBytes() {
  constexpr uint64_t kPartOfLimit = 64;
  constexpr uint64_t kSmallest = uint64_t{64} << 20, kLargest = uint64_t{1} << 30;
  return std::clamp(MemoryBudget::OfProcess().max_bytes() / kPartOfLimit, kSmallest, kLargest);
}

}  // namespace

ExitCode Serve(const ServeOptions& options) {
  server::BlockShutdownSignals();
  ConfigureLog(options.log_level, options.log_format);
  KeepFilesPrivate(options.data_folder);
  for (const std::string& name : options.absent_features) {
    Log(LogLevel::kWarn, "unknown feature in enable-feature", {{"name", name}});
  }
  LimitMemory(options);
  const absl::StatusOr<std::unique_ptr<server::AuditLog>> audit_log = OpenAuditLog(options);
  if (!audit_log.ok()) return Failed(audit_log.status());
  absl::StatusOr<server::HttpServerOptions> http_options =
      MakeHttpOptions(options, audit_log->get());
  if (!http_options.ok()) return Failed(http_options.status());

  const absl::StatusOr<std::unique_ptr<api::QueryLog>> query_log = OpenQueryLog(options);
  if (!query_log.ok()) return Failed(query_log.status());

  absl::StatusOr<Jobs> jobs = ReadJobs(options);
  if (!jobs.ok()) return Failed(jobs.status());

  const api::ServerInfo info = MakeServerInfo(options, *jobs);
  StoreOptions store_options;
  store_options.data_dir = options.data_folder;
  store_options.read_only = options.read_only;
  store_options.shard_count = options.shard_count;
  store_options.retention_ms = options.retention_ms;
  store_options.retention_rules = options.retention_rules;
  store_options.max_bytes = options.max_storage_bytes;
  store_options.series = SeriesLimitsOf(options);
  store_options.block_cache_bytes = BlockCacheBytes();
  absl::StatusOr<std::unique_ptr<Store>> opened = OpenStore(store_options);
  if (!opened.ok()) return Failed(opened.status());
  Store& store = **opened;

  tenants::TenantOptions tenant_options = MakeTenantOptions(options);
  tenant_options.earliest_kept_ms = [&store](const LabelSet& series) {
    return store.EarliestKeptMs(series);
  };
  auto tenants = std::make_unique<tenants::Tenants>(store, &store, std::move(tenant_options));
  if (const absl::Status status = tenants->Load(); !status.ok()) return Failed(status);
  tenants->SetLimits({options.max_samples_per_second, options.max_samples_per_second_per_job},
                     options.tenant_limits);
  scrape::Scraper scraper;
  rules::HookRunner hooks(&store);
  rules::Notifier notifier(ExternalUrl(options, info));
  rules::RuleRunner rule_runner(MakeRuleOptions(options, info));
  const Workers workers{scraper, rule_runner, notifier, hooks};
  Configure(*std::move(jobs), workers);
  std::function<absl::Status()> reload;
  Doors doors{.store = store, .tenants = *tenants};
  if (options.enable_lifecycle) reload = [&] { return Reload(options, workers, doors); };
  auto api = std::make_unique<api::Api>(
      api::ApiDependencies{.tenants = *tenants,
                           .info = info,
                           .options = MakeApiOptions(options),
                           .now_ms = nullptr,
                           .admin = options.enable_admin_api ? &store : nullptr,
                           .query_log = query_log->get(),
                           .scraper = &scraper,
                           .rules = &rule_runner,
                           .notifier = &notifier,
                           .hooks = &hooks,
                           .reload = reload,
                           .page_files = web::PageFiles()});

  doors.api = api.get();

  server::MetricsEndpoint endpoint(*api, [&] {
    const server::HttpServer* http_server = doors.http.load();
    server::SelfSnapshot snapshot{info.version,
                                  info.revision,
                                  store.stats(),
                                  api->stats(),
                                  http_server ? http_server->stats() : server::HttpStats(),
                                  std::nullopt,
                                  server::ReadProcessMetrics()};
    const server::OtlpGrpcServer* otlp_grpc = doors.otlp_grpc.load();
    if (otlp_grpc != nullptr) snapshot.otlp_grpc = otlp_grpc->stats();
    return snapshot;
  });
  const server::WebConfig web = http_options->web;
  absl::StatusOr<std::unique_ptr<server::HttpServer>> http_server =
      server::HttpServer::Start(*std::move(http_options), endpoint);
  if (!http_server.ok()) return Failed(http_server.status());
  doors.http = http_server->get();
  absl::StatusOr<std::unique_ptr<server::OtlpGrpcServer>> otlp_grpc =
      StartOtlpGrpc(options, web, audit_log->get(), *api);
  if (!otlp_grpc.ok()) return Failed(otlp_grpc.status());
  doors.otlp_grpc = otlp_grpc->get();
  WarnOfOpenDoors(options, web);
  api->SetReady(true);
  if (*otlp_grpc != nullptr) {
    Log(LogLevel::kInfo, "listening for OTLP over gRPC", {{"address", (*otlp_grpc)->address()}});
  }
  Log(LogLevel::kInfo, "ready",
      {{"url", (*http_server)->url()},
       {"data", info.storage_folder},
       {"version", info.version},
       {"shards", store.stats().shard_count}});
  std::printf("lockstep is ready on %s\n", (*http_server)->url().c_str());
  std::fflush(stdout);
  TellManager("READY=1");

  if (!options.read_only) {
    tenants::Tenant& unnamed = tenants->Default();
    scraper.Start(unnamed.written, [&unnamed](DecodedWrite write, Ingester::Done done) {
      unnamed.ingester.Store(std::move(write), std::move(done));
    });
    rule_runner.Start(
        [&tenants](const std::string& name) { return HomeOf(*tenants, name); },
        [&notifier, &hooks](const rules::Rule& rule, const std::vector<rules::Alert>& alerts) {
          notifier.Tell(rule, alerts);
          hooks.Tell(alerts);
        });
  }
  FreeMemoryWatch free_memory;
  free_memory.Start();
  WaitForSignal(options, workers, *api, doors);
  http_server->reset();
  otlp_grpc->reset();
  api.reset();
  // Everything that tenants keep besides samples is in the store by now.
  tenants.reset();
  if (const absl::Status status = store.Close(); !status.ok()) return Failed(status);
  Log(LogLevel::kInfo, "ended");
  return kSuccess;
}

}  // namespace lockstep::cli
