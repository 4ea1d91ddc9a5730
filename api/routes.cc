#include "api/routes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "api/admin/admin_handlers.h"
#include "api/admin/cardinality_handler.h"
#include "api/admin/features_handler.h"
#include "api/admin/memory_handler.h"
#include "api/admin/page_handler.h"
#include "api/http/reply.h"
#include "api/ingest/datadog_handlers.h"
#include "api/ingest/gateway_handlers.h"
#include "api/ingest/influx_handlers.h"
#include "api/ingest/json_line_handlers.h"
#include "api/ingest/otlp_handler.h"
#include "api/ingest/push_handlers.h"
#include "api/ingest/write_handler.h"
#include "api/inner_request.h"
#include "api/mcp/mcp_handler.h"
#include "api/prometheus/exemplar_handler.h"
#include "api/prometheus/federate_handler.h"
#include "api/prometheus/remote_read_handler.h"
#include "api/prometheus/rule_handlers.h"
#include "api/prometheus/search_handlers.h"
#include "api/prometheus/series_handlers.h"
#include "api/prometheus/target_handlers.h"
#include "api/query/active_queries_handlers.h"
#include "api/query/query_handlers.h"
#include "api/router.h"
#include "api/training/annotation_handlers.h"
#include "api/training/hang_handlers.h"
#include "api/training/identity_handlers.h"
#include "api/training/report_handler.h"
#include "api/training/role_handlers.h"
#include "api/training/step_axis_handler.h"
#include "api/training/training_handlers.h"
#include "tenants/tenant_admin.h"

namespace lockstep::api {
namespace {

using tenants::Tenant;
using enum Needs;
using enum Reach;
using enum Role;

constexpr std::string_view kGet = "GET, HEAD, OPTIONS";
constexpr std::string_view kPost = "POST, OPTIONS";
constexpr std::string_view kGetAndPost = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view kPostAndPut = "POST, PUT, OPTIONS";
constexpr std::string_view kDeleteAndPost = "DELETE, POST, OPTIONS";
constexpr std::string_view kDeletePostAndPut = "DELETE, POST, PUT, OPTIONS";

// These templates call a handler with the arguments that its group of handlers takes.

template <auto handle>
Response Constant(Services&, const Call&) {
  return handle();
}

template <auto handle>
Response FromStore(Services&, const Call& call, const Permit& permit) {
  return handle(call, call.data->storage(), permit.budget);
}

template <auto handle>
Response FromSearch(Services& services, const Call& call, const Permit& permit) {
  return handle(call, {call.data->storage(), services.now_ms()}, permit.budget);
}

QueryContext QueryContextOf(Services& services, const Call& call, const Permit& permit) {
  return {call.data->engine(),   call.data->range_cache(),     services.now_ms(),
          permit.queued_seconds, services.query_samples_total, services.query_log,
          &permit.progress};
}

template <auto handle>
Response FromQuery(Services& services, const Call& call, const Permit& permit) {
  return handle(call, QueryContextOf(services, call, permit), permit.budget);
}

TrainingContext TrainingContextOf(Services& services, const Call& call, const Permit& permit) {
  return {{call.data->written(), call.data->engine().pool(), permit.budget, services.now_ms(),
           call.data->live_jobs(), call.data->lateness(),
           [&services, data = call.data](const annotations::AnnotationFilter& filter) {
             return data->Annotations(filter, services.now_ms());
           }},
          services.options.prices};
}

template <auto handle>
Response FromJobs(Services& services, const Call& call, const Permit& permit) {
  return handle(call, TrainingContextOf(services, call, permit));
}

// Quick routes respond at once, so expressions that take long to compile are rejected.
template <auto handle>
Response FromText(Services& services, const Call& call) {
  const QueryBudget budget(0, std::chrono::steady_clock::now() + std::chrono::seconds(1));
  return handle(call, services.options.dialect, budget);
}

// Only the default tenant has scraped targets.
const scrape::Scraper* ScraperOf(const Services& services, const Call& call) {
  const bool is_for_default = std::ranges::any_of(
      call.data->tenants(), [](const auto& tenant) { return tenant->name.empty(); });
  return is_for_default ? services.scraper : nullptr;
}

template <auto handle>
Response FromScraper(Services& services, const Call& call) {
  return handle(call, ScraperOf(services, call));
}

template <auto handle>
void ToIngester(Services&, const Request& request, Tenant& tenant, Respond respond) {
  handle(request, tenant.ingester, std::move(respond));
}

// Like ToIngester, for samples that may lack a timestamp.
template <auto handle>
void ToIngesterNow(Services& services, const Request& request, Tenant& tenant, Respond respond) {
  handle(request, tenant.ingester, services.now_ms(), std::move(respond));
}

template <InfluxVersion version>
void FromInflux(Services& services, const Request& request, Tenant& tenant, Respond respond) {
  HandleInfluxWrite(request, version, tenant.ingester, services.now_ms(), std::move(respond));
}

template <auto handle>
void ToPusher(Services& services, const Request& request, Tenant& tenant, Respond respond) {
  handle(request, {tenant.pusher, services.options.ingest, services.now_ms()}, std::move(respond));
}

void PushDump(Services& services, const Request& request, Tenant& tenant, Respond respond) {
  respond(HandleDumpPush(request, {tenant.dumps, services.options.ingest, services.now_ms()}));
}

void PutOrDeleteAnnotations(Services& services, const Request& request, Tenant& tenant,
                            Respond respond) {
  respond(request.method == "DELETE"
              ? HandleAnnotationDelete(request, tenant.annotations)
              : HandleAnnotationPut(request, tenant.annotations, services.now_ms()));
}

void PushGroup(Services& services, const Request& request, Tenant& tenant, Respond respond) {
  HandleGroupPush(request, tenant.ingester, tenant.push_groups, services.now_ms(),
                  std::move(respond));
}

void WriteOtlp(Services&, const Request& request, Tenant& tenant, Respond respond) {
  HandleOtlpMetrics(request, tenant.otlp_decoder, tenant.ingester, std::move(respond));
}

ConfigState ConfigOf(Services& services) {
  const MutexLock lock(services.config_mutex);
  return services.config;
}

Response Page(Services& services, const Call& call) {
  return HandlePage(call.request, services.page_files, services.info);
}

// From a browser, a request for this path means the page.
Response PageOrInfluxQuery(Services& services, const Call& call) {
  return IsPagePath(call.request) ? Page(services, call) : HandleInfluxQuery(call);
}

Response QueryRange(Services& services, const Call& call, const Permit& permit) {
  const QueryContext context = QueryContextOf(services, call, permit);
  const std::string_view axis = call.form.Get("axis");
  if (axis == "step") {
    return HandleQueryOverSteps(call, context, TrainingContextOf(services, call, permit).answers);
  }
  if (!axis.empty() && axis != "time") return InvalidParameter("axis", "must be time or step");
  if (!call.form.Get("per_step").empty()) return InvalidParameter("per_step", "requires axis=step");
  return HandleQueryRange(call, context, permit.budget);
}

Response QueryExemplars(Services& services, const Call& call, const Permit& permit) {
  const auto select = [&call](ExemplarStore::Selections selections, TimeRange range) {
    return call.data->Exemplars(std::move(selections), range);
  };
  return HandleQueryExemplars(call, select, services.options.dialect, permit.budget);
}

Response Federate(Services& services, const Call& call, const Permit& permit) {
  return HandleFederate(
      call,
      {call.data->storage(), services.now_ms(), call.data->engine().lookback_ms(), permit.progress},
      permit.budget);
}

Response DeleteSeries(Services& services, const Call& call, const Permit&) {
  if (services.admin == nullptr) return HandleDeleteSeries(call, nullptr);
  if (call.data->tenants().size() > 1) {
    return ErrorReply(ErrorType::kBadData, "series can be deleted from only one tenant at a time");
  }
  tenants::TenantAdmin admin(*services.admin, call.data->tenants().front()->name);
  return HandleDeleteSeries(call, &admin);
}

Response Mcp(Services& services, const Call& call, const Permit& permit) {
  const McpFetch fetch = [&](const std::string& target) {
    return AskWithin(services, call, permit, target);
  };
  return HandleMcp(call, {fetch, services.now_ms(), services.info.version});
}

constexpr Route kRoutes[] = {
    // The page and the server's state.
    {"/", kGet, kNothing, kRead, Page},
    {"/assets/:file", kGet, kNothing, kRead,
     [](Services& s, const Call& call) { return HandlePageAsset(call.request, s.page_files); }},
    {"/-/healthy", kGet, kNothing, kNone, Constant<HandleHealthy>},
    {"/-/ready", kGet, kReadyStore, kNone,
     [](Services& s, const Call&) {
       return HandleReady(s.options.is_read_only || !s.tenants.Default().written.stats().read_only);
     }},
    {"/-/reload", kPostAndPut, kNothing, kRules,
     [](Services& s, const Call&, const Permit&) { return HandleReload(s.reload); }},
    {"/api/v1/status/buildinfo", kGet, kNothing, kRead,
     [](Services& s, const Call&) { return HandleBuildInfo(s.info); }},
    {"/api/v1/status/runtimeinfo", kGet, kNothing, kRead,
     [](Services& s, const Call&) { return HandleRuntimeInfo(s.info, ConfigOf(s), s.now_ms()); }},
    {"/api/v1/status/flags", kGet, kNothing, kAdmin,
     [](Services& s, const Call&) { return HandleFlags(s.info); }, kAllTenants},
    {"/api/v1/status/config", kGet, kNothing, kAdmin,
     [](Services& s, const Call&) { return HandleConfig(ConfigOf(s)); }, kAllTenants},
    {"/api/v1/status/memory", kGet, kNothing, kRead,
     [](Services&, const Call&) { return HandleMemory(MemoryBudget::OfProcess().stats()); }},
    {"/api/v1/status/walreplay", kGet, kNothing, kRead, Constant<HandleWalReplay>},
    {"/api/v1/status/tsdb", kGet, kReadyStore, kRead,
     [](Services&, const Call& call, const Permit&) {
       return HandleTsdb(call, call.data->storage());
     }},
    {"/api/v1/status/tsdb/blocks", kGet, kNothing, kRead, Constant<HandleBlocks>},
    {"/api/v1/status/cardinality", kGet, kReadyStore, kRead, FromStore<HandleCardinality>},
    {"/api/v1/status/active_queries", kGet, kNothing, kAdmin,
     [](Services& s, const Call&) { return HandleActiveQueries(s.active_queries); }, kAllTenants},
    {"/api/v1/status/active_queries/:id", kDeleteAndPost, kNothing, kAdmin,
     [](Services& s, const Call& call) { return HandleCancelQuery(call, s.active_queries); },
     kAllTenants},
    {"/api/v1/features", kGet, kNothing, kRead,
     [](Services& s, const Call&) {
       return HandleFeatures({s.admin != nullptr, s.reload != nullptr, !s.options.is_read_only});
     }},
    {"/api/v1/openapi.yaml", kGet, kNothing, kRead, Constant<HandleOpenApi>},
    {"/api/v1/notifications", kGet, kNothing, kRead,
     [](Services& s, const Call&) { return HandleNotifications(s.notifications); }},
    {"/api/v1/notifications/live", kGet, kNothing, kRead,
     [](Services& s, const Call&) { return HandleLiveNotifications(s.notifications); }},
    {"/debug/pprof/", kGet, kNothing, kAdmin, Constant<HandleProfileIndex>, kAllTenants},
    {"/debug/pprof/profile", kGet, kNothing, kAdmin,
     [](Services& s, Call call, Respond respond) {
       s.profiles.Profile(std::move(call), std::move(respond));
     },
     kAllTenants},
    {"/debug/pprof/heap", kGet, kNothing, kAdmin, Constant<HandleHeapProfile>, kAllTenants},
    {"/debug/pprof/cmdline", kGet, kNothing, kAdmin, Constant<HandleCommandLine>, kAllTenants},

    // Writes.
    {"/api/v1/write", kPost, kReadyStore, kWrite, ToIngester<HandleRemoteWrite>},
    {"/api/v1/otlp/v1/metrics", kPost, kReadyStore, kWrite, WriteOtlp},
    {"/v1/metrics", kPost, kReadyStore, kWrite, WriteOtlp},
    {"/write", kPost, kReadyStore, kWrite, FromInflux<InfluxVersion::k1>},
    {"/api/v2/write", kPost, kReadyStore, kWrite, FromInflux<InfluxVersion::k2>},
    {"/api/v1/import", kPost, kReadyStore, kWrite, ToIngester<HandleJsonLineImport>},
    {"/api/v1/import/prometheus", kPost, kReadyStore, kWrite, ToIngesterNow<HandleTextImport>},
    {"/metrics/job/:group*", kDeletePostAndPut, kReadyStore, kPush, PushGroup},
    {"/metrics/job@base64/:group*", kDeletePostAndPut, kReadyStore, kPush, PushGroup},
    {"/api/v1/push/log", kPost, kReadyStore, kPush, ToPusher<HandleLogPush>},
    {"/api/v1/push/steps", kPost, kReadyStore, kPush, ToPusher<HandleStepPush>},
    {"/api/v1/push/dump", kPost, kReadyStore, kPush, PushDump},
    {"/api/v1/training/register", kPost, kReadyStore, kPush, ToIngesterNow<HandleRegister>},
    {"/datadog/api/v1/series", kPost, kReadyStore, kWrite, ToIngesterNow<HandleDatadogSeries>},
    {"/datadog/api/v2/series", kPost, kReadyStore, kWrite, ToIngesterNow<HandleDatadogSeries>},
    {"/datadog/api/v1/validate", kGet, kNothing, kAny, Constant<HandleDatadogValidate>},
    {"/datadog/api/beta/sketches", kPost, kNothing, kWrite, Constant<HandleDatadogSketches>},
    {"/datadog/api/v1/check_run", kPost, kNothing, kWrite, Constant<HandleDatadogCheckRun>},
    {"/datadog/api/v1/metadata", kPost, kNothing, kWrite, Constant<HandleDatadogIntake>},
    {"/datadog/intake", kPost, kNothing, kWrite, Constant<HandleDatadogIntake>},
    {"/datadog/intake/", kPost, kNothing, kWrite, Constant<HandleDatadogIntake>},
    {"/ping", kGet, kNothing, kNone, Constant<HandleInfluxPing>},
    {"/health", kGet, kReadyStore, kNone, Constant<HandleInfluxHealth>},
    {"/query", kGetAndPost, kNothing, kAny, PageOrInfluxQuery},

    // Queries.
    {"/api/v1/query", kGetAndPost, kReadyStore, kRead, FromQuery<HandleQuery>},
    {"/api/v1/query_range", kGetAndPost, kReadyStore, kRead, QueryRange},
    {"/api/v1/explain", kGetAndPost, kReadyStore, kRead, FromQuery<HandleExplain>},
    {"/api/v1/query_exemplars", kGetAndPost, kReadyStore, kRead, QueryExemplars},
    {"/api/v1/format_query", kGetAndPost, kReadyStore, kRead, FromText<HandleFormatQuery>},
    {"/api/v1/parse_query", kGetAndPost, kReadyStore, kRead, FromText<HandleParseQuery>},
    {"/api/v1/series", kGetAndPost, kReadyStore, kRead, FromStore<HandleSeries>},
    {"/api/v1/labels", kGetAndPost, kReadyStore, kRead, FromStore<HandleLabels>},
    {"/api/v1/label/:name/values", kGet, kReadyStore, kRead, FromStore<HandleLabelValues>},
    {"/api/v1/search/metric_names", kGetAndPost, kReadyStore, kRead,
     FromSearch<HandleSearchMetricNames>},
    {"/api/v1/search/label_names", kGetAndPost, kReadyStore, kRead,
     FromSearch<HandleSearchLabelNames>},
    {"/api/v1/search/label_values", kGetAndPost, kReadyStore, kRead,
     FromSearch<HandleSearchLabelValues>},
    {"/api/v1/metadata", kGet, kReadyStore, kRead,
     [](Services&, const Call& call, const Permit& permit) {
       return HandleMetadata(call, permit.budget);
     }},
    {"/api/v1/read", kPost, kReadyStore, kRead,
     [](Services&, const Call& call, const Permit& permit) {
       return HandleRemoteRead(call, call.data->storage(), permit);
     }},
    {"/api/v1/export", kGetAndPost, kReadyStore, kRead,
     [](Services&, const Call& call, const Permit& permit) {
       return HandleJsonLineExport(call, call.data->written(), permit);
     }},
    {"/federate", kGet, kReadyStore, kRead, Federate},

    // Training jobs.
    {"/api/v1/training/jobs", kGetAndPost, kReadyStore, kRead, FromJobs<HandleTrainingJobs>},
    {"/api/v1/training/stragglers", kGetAndPost, kReadyStore, kRead, FromJobs<HandleStragglers>},
    {"/api/v1/training/bottlenecks", kGetAndPost, kReadyStore, kRead, FromJobs<HandleBottlenecks>},
    {"/api/v1/training/mfu", kGetAndPost, kReadyStore, kRead, FromJobs<HandleEfficiency>},
    {"/api/v1/training/ledger", kGetAndPost, kReadyStore, kRead, FromJobs<HandleLedger>},
    {"/api/v1/training/events", kGetAndPost, kReadyStore, kRead, FromJobs<HandleEvents>},
    {"/api/v1/training/forecast", kGetAndPost, kReadyStore, kRead, FromJobs<HandleForecast>},
    {"/api/v1/training/parallelism", kGetAndPost, kReadyStore, kRead, FromJobs<HandleParallelism>},
    {"/api/v1/training/history", kGetAndPost, kReadyStore, kRead, FromJobs<HandleRunHistory>},
    {"/api/v1/training/hang", kGetAndPost, kReadyStore, kRead, FromJobs<HandleHang>},
    {"/api/v1/training/compare", kGetAndPost, kReadyStore, kRead, FromJobs<HandleComparison>},
    {"/api/v1/training/heatmap", kGetAndPost, kReadyStore, kRead, FromJobs<HandleHeatMap>},
    {"/api/v1/training/steps", kGetAndPost, kReadyStore, kRead, FromJobs<HandleSteps>},
    {"/api/v1/training/report", kGetAndPost, kReadyStore, kRead, FromJobs<HandleReport>},
    {"/api/v1/fleet/lemons", kGetAndPost, kReadyStore, kRead, FromJobs<HandleLemons>},
    {"/api/v1/training/identity", kGetAndPost, kReadyStore, kRead,
     [](Services& s, const Call& call, const Permit& permit) {
       return HandleIdentity(call, call.data->storage(), s.now_ms(), permit.budget);
     }},
    {"/api/v1/training/roles", kGetAndPost, kReadyStore, kRead,
     [](Services&, const Call& call) { return HandleRoles(call); }},

    // Annotations.
    {"/api/v1/annotations", kGet, kReadyStore, kRead,
     [](Services& s, const Call& call, const Permit& permit) {
       return HandleAnnotations(call, s.now_ms(), permit.budget);
     }},
    {"/api/v1/annotations", kDeleteAndPost, kReadyStore, kPush, PutOrDeleteAnnotations},

    // The same answers by the Model Context Protocol.
    {"/mcp", kPost, kReadyStore, kRead, Mcp},

    // Rules and scraping.
    {"/api/v1/rules", kGet, kReadyStore, kRead,
     [](Services& s, const Call& call) { return HandleRules(call, s.rules); }, kAllJobs},
    {"/api/v1/alerts", kGet, kReadyStore, kRead,
     [](Services& s, const Call& call) { return HandleAlerts(call, s.rules); }, kAllJobs},
    {"/api/v1/alertmanagers", kGet, kNothing, kRead,
     [](Services& s, const Call&) { return HandleAlertmanagers(s.notifier); }, kAllJobs},
    {"/api/v1/targets", kGet, kNothing, kRead,
     [](Services& s,
        const Call& call) { return HandleTargets(call, ScraperOf(s, call), s.info.hostname); },
     kAllJobs},
    {"/api/v1/targets/metadata", kGet, kNothing, kRead, FromScraper<HandleTargetsMetadata>,
     kAllJobs},
    {"/api/v1/targets/relabel_steps", kGet, kNothing, kRead, FromScraper<HandleRelabelSteps>,
     kAllJobs},
    {"/api/v1/scrape_pools", kGet, kNothing, kRead,
     [](Services& s, const Call& call) { return HandleScrapePools(ScraperOf(s, call)); }, kAllJobs},

    // Administration of the store.
    {"/api/v1/admin/tsdb/snapshot", kPostAndPut, kReadyStore, kAdmin,
     [](Services& s, const Call& call, const Permit&) { return HandleSnapshot(call, s.admin); },
     kAllTenants},
    {"/api/v1/admin/tsdb/delete_series", kPostAndPut, kReadyStore, kAdmin, DeleteSeries},
    {"/api/v1/admin/tsdb/clean_tombstones", kPostAndPut, kReadyStore, kAdmin,
     [](Services& s, const Call& call, const Permit&) {
       return HandleCleanTombstones(call, s.admin);
     },
     kAllTenants},
    {"/api/v1/admin/backup", kPostAndPut, kReadyStore, kAdmin,
     [](Services& s, const Call& call, const Permit&) {
       return HandleBackup(call, s.admin, s.options.backup_folder);
     },
     kAllTenants},
};

}  // namespace

bool Route::Allows(std::string_view method) const {
  if (method == "HEAD" || method == "OPTIONS") return false;
  for (std::string_view rest = methods; !rest.empty();) {
    const size_t end = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, end) == method) return true;
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return false;
}

namespace {

RouteMatch FindAmongAll(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (const auto parameter = MatchPath(route.pattern, path)) return {&route, *parameter};
  }
  return {};
}

// The routes whose patterns are paths that nothing before them matches.
absl::flat_hash_map<std::string_view, const Route*> RoutesByPath() {
  absl::flat_hash_map<std::string_view, const Route*> by_path;
  for (const Route& route : kRoutes) {
    if (FindAmongAll(route.pattern).route == &route) by_path.emplace(route.pattern, &route);
  }
  return by_path;
}

RouteMatch FindFirst(std::string_view path) {
  static const auto* const by_path =
      new absl::flat_hash_map<std::string_view, const Route*>(RoutesByPath());
  if (const auto found = by_path->find(path); found != by_path->end()) {
    return {found->second, MatchPath(found->second->pattern, path).value_or("")};
  }
  return FindAmongAll(path);
}

// The routes with the same pattern as `first`, which follow it in the table.
std::span<const Route> WithSamePattern(const Route& first) {
  const Route* end = &first + 1;
  while (end != std::end(kRoutes) && end->pattern == first.pattern) ++end;
  return {&first, end};
}

}  // namespace

RouteMatch FindRoute(std::string_view method, std::string_view path) {
  RouteMatch match = FindFirst(path);
  if (match.route == nullptr) return match;
  for (const Route& route : WithSamePattern(*match.route)) {
    if (!route.Allows(method)) continue;
    match.route = &route;
    break;
  }
  return match;
}

std::string AllowedMethods(std::string_view pattern) {
  std::string all;
  for (const Route& route : WithSamePattern(*FindAmongAll(pattern).route)) {
    // OPTIONS is the last of each.
    constexpr std::string_view kLast = ", OPTIONS";
    all += route.methods.substr(0, route.methods.size() - kLast.size());
    all += ", ";
  }
  return all + "OPTIONS";
}

}  // namespace lockstep::api
