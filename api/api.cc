#include "api/api.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/active_queries.h"
#include "api/active_queries_handlers.h"
#include "api/admin_handlers.h"
#include "api/call.h"
#include "api/cardinality_handler.h"
#include "api/datadog_handlers.h"
#include "api/exemplar_handler.h"
#include "api/features_handler.h"
#include "api/federate_handler.h"
#include "api/gateway_handlers.h"
#include "api/identity_handlers.h"
#include "api/influx_handlers.h"
#include "api/json_line_handlers.h"
#include "api/memory_handler.h"
#include "api/notifications.h"
#include "api/otlp_handler.h"
#include "api/page_handler.h"
#include "api/params.h"
#include "api/profile_handlers.h"
#include "api/push_handlers.h"
#include "api/query_gate.h"
#include "api/query_handlers.h"
#include "api/remote_read_handler.h"
#include "api/reply.h"
#include "api/report_handler.h"
#include "api/request_counters.h"
#include "api/request_limits.h"
#include "api/role_handlers.h"
#include "api/router.h"
#include "api/rule_handlers.h"
#include "api/search_handlers.h"
#include "api/series_handlers.h"
#include "api/status_handlers.h"
#include "api/step_axis_handler.h"
#include "api/target_handlers.h"
#include "api/tenant_access.h"
#include "api/training_handlers.h"
#include "api/write_handler.h"
#include "ingest/ingester.h"
#include "tenants/data_view.h"
#include "tenants/tenant_admin.h"

namespace lockstep::api {
namespace {

using Clock = std::chrono::steady_clock;

int64_t SystemNowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The `timeout` parameter can only shorten what the server allows.
absl::StatusOr<std::chrono::nanoseconds> TimeoutOf(const Form& form,
                                                   std::chrono::nanoseconds longest) {
  const std::string_view text = form.Get("timeout");
  if (text.empty()) return longest;
  const auto timeout = ParseDuration(text);
  if (!timeout.ok()) return Annotate(timeout.status(), "invalid parameter \"timeout\"");
  return std::min(*timeout, longest);
}

// The texts of notifications.
constexpr std::string_view kStarting = "lockstep is starting.";
constexpr std::string_view kStopping = "lockstep is shutting down.";
constexpr std::string_view kRereadFailed = "Configuration reload has failed.";

Response NotReady(std::string_view why) {
  Response response =
      TextReply(503, absl::StrFormat("Service Unavailable: lockstep is not ready: %s", why));
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

// As a line of text: who writes reads no JSON.
Response TenantRefusal(const absl::Status& status) {
  int http_status = 503;
  if (absl::IsInvalidArgument(status)) http_status = 400;
  if (absl::IsPermissionDenied(status)) http_status = 403;
  if (absl::IsResourceExhausted(status)) http_status = 422;
  return TextReply(http_status, Message(status));
}

// Keeps what the parts of a body read.
class HeldBody : public BodySource {
 public:
  HeldBody(std::shared_ptr<const tenants::DataView> data, std::unique_ptr<BodySource> body)
      : data_(std::move(data)), body_(std::move(body)) {}

  absl::StatusOr<bool> Next(std::string& out) override { return body_->Next(out); }

 private:
  const std::shared_ptr<const tenants::DataView> data_;
  const std::unique_ptr<BodySource> body_;
};

class ApiServer : public Api {
 public:
  explicit ApiServer(ApiDependencies dependencies)
      : tenants_(dependencies.tenants),
        admin_(dependencies.admin),
        query_log_(dependencies.query_log),
        scraper_(dependencies.scraper),
        rules_(dependencies.rules),
        notifier_(dependencies.notifier),
        hooks_(dependencies.hooks),
        reload_(std::move(dependencies.reload)),
        page_files_(dependencies.page_files),
        info_(std::move(dependencies.info)),
        options_(std::move(dependencies.options)),
        now_ms_(dependencies.now_ms ? std::move(dependencies.now_ms) : SystemNowMs),
        max_query_samples_(options_.max_query_samples),
        query_timeout_(options_.query_timeout),
        config_{info_.config_yaml, info_.start_time_ms},
        gate_({.max_running = static_cast<size_t>(options_.max_concurrent_queries)}) {
    notifications_.Add(kStarting, now_ms_());
  }

  void SetReady(bool ready) override {
    ready_ = ready;
    if (ready) notifications_.Remove(kStarting);
  }
  void StopQueries() override {
    notifications_.Add(kStopping, now_ms_());
    notifications_.End();
    profiles_.Stop();
    gate_.Close();
  }
  void ConfigReread(absl::StatusOr<std::string> config_yaml) override;
  void SetLimits(const ApiLimits& limits) override {
    max_query_samples_ = limits.max_query_samples;
    query_timeout_ = limits.query_timeout;
  }
  ApiStats stats() const override;
  void Handle(Request request, Respond respond) override;
  Role RoleFor(std::string_view path) const override;

 private:
  // What the pool knows of a request whose turn has come.
  struct Turn {
    double queued_seconds = 0;
    engine::QueryProgress& progress;
    const QueryGate::Place& place;
  };
  // What a route does with a request. Quick ones answer at once, pooled ones on the query pool,
  // writing ones when the store has, late ones when they will.
  using Quick = Response (ApiServer::*)(const Call&);
  using Pooled = Response (ApiServer::*)(const Call&, const Turn&, QueryBudget&);
  using Writing = void (ApiServer::*)(const Request&, tenants::Tenant&, Respond);
  using Late = void (ApiServer::*)(Call, Respond);

  enum class Methods { kGet, kPost, kGetAndPost, kPostAndPut, kDeleteAndPost, kDeletePostAndPut };
  enum class Needs { kNothing, kReadyStore };
  // What a credential has to be for.
  enum class Reach {
    kSomeJobs,   // nothing more: what it may not read or write is not there
    kAllJobs,    // not held to jobs
    kAllTenants  // nor to tenants: it is about the whole server
  };

  struct Route {
    std::string_view pattern;
    Methods methods;
    Needs needs;
    Role role;  // what it asks of who calls it
    // Exactly one of these and `late`.
    Quick quick = nullptr;
    Pooled pooled = nullptr;
    Writing writing = nullptr;
    Reach reach = Reach::kSomeJobs;
    Late late = nullptr;
  };

  struct Match {
    const Route* route = nullptr;
    std::string_view parameter;
  };

  static const Route* Routes(size_t& count);
  static Match FindRoute(std::string_view path);
  static std::string_view AllowHeader(Methods methods);
  static bool IsAllowed(Methods methods, std::string_view method);

  Respond Counted(std::string_view handler, Respond respond);
  void Dispatch(const Match& match, Request request, Respond respond);
  void Write(const Route& route, const Request& request, const std::vector<std::string>& tenants,
             Respond respond);
  static absl::Status CheckReach(const Route& route, const Grant& grant);
  std::shared_ptr<const tenants::DataView> ViewOf(const std::vector<std::string>& names,
                                                  const Grant& grant);
  QueryDescription Describe(const Call& call);
  void RunPooled(const Route& route, Call call, Respond respond);

  QueryContext ContextOf(const Call& call, const Turn& turn) {
    return {call.data->engine(), call.data->range_cache(), now_ms_(),
            turn.queued_seconds, query_samples_total_,     query_log_,
            &turn.progress};
  }

  TrainingContext TrainingOf(const Call& call) {
    return {call.data->written(), call.data->engine().pool(), options_.prices, now_ms_(),
            call.data->live_jobs()};
  }

  Response Healthy(const Call&) { return TextReply(200, "lockstep is healthy."); }
  Response Ready(const Call&) {
    if (!options_.is_read_only && tenants_.Default().written.stats().read_only) {
      return NotReady("the store refuses writes; the log says why");
    }
    return TextReply(200, "lockstep is ready.");
  }
  Response Page(const Call& call) { return HandlePage(call.request, page_files_, info_); }
  Response PageAsset(const Call& call) { return HandlePageAsset(call.request, page_files_); }
  Response BuildInfo(const Call&) { return HandleBuildInfo(info_); }
  ConfigState config() const {
    const MutexLock lock(config_mutex_);
    return config_;
  }
  Response RuntimeInfo(const Call&) { return HandleRuntimeInfo(info_, config(), now_ms_()); }
  Response Flags(const Call&) { return HandleFlags(info_); }
  Response Config(const Call&) { return HandleConfig(config()); }
  Response OpenApi(const Call&) { return HandleOpenApi(); }
  Response Features(const Call&) {
    return HandleFeatures({admin_ != nullptr, reload_ != nullptr, !options_.is_read_only});
  }
  Response NotificationList(const Call&) { return HandleNotifications(notifications_); }
  Response LiveNotifications(const Call&) { return HandleLiveNotifications(notifications_); }
  Response Blocks(const Call&) { return HandleBlocks(); }
  Response ProfileIndex(const Call&) { return HandleProfileIndex(); }
  Response HeapProfile(const Call&) { return HandleHeapProfile(); }
  Response CommandLine(const Call&) { return HandleCommandLine(); }
  void CpuProfile(Call call, Respond respond) {
    profiles_.Profile(std::move(call), std::move(respond));
  }
  Response Memory(const Call&) { return HandleMemory(MemoryBudget::OfProcess().stats()); }
  Response WalReplay(const Call&) { return HandleWalReplay(); }
  Response Rules(const Call& call) { return HandleRules(call, rules_); }
  Response Alertmanagers(const Call&) { return HandleAlertmanagers(notifier_); }
  Response Alerts(const Call& call) { return HandleAlerts(call, rules_); }
  // What is scraped is the default tenant's.
  const scrape::Scraper* ScraperOf(const Call& call) const {
    const bool is_for_default = std::ranges::any_of(
        call.data->tenants(), [](const auto& tenant) { return tenant->name.empty(); });
    return is_for_default ? scraper_ : nullptr;
  }
  Response Targets(const Call& call) {
    return HandleTargets(call, ScraperOf(call), info_.hostname);
  }
  Response TargetsMetadata(const Call& call) {
    return HandleTargetsMetadata(call, ScraperOf(call));
  }
  Response RelabelSteps(const Call& call) { return HandleRelabelSteps(call, ScraperOf(call)); }
  Response ScrapePools(const Call& call) { return HandleScrapePools(ScraperOf(call)); }
  // Answered at once: expressions that take long to compile are not waited for.
  static constexpr std::chrono::seconds kQuickPatience{1};
  Response FormatQuery(const Call& call) {
    const QueryBudget budget(0, Clock::now() + kQuickPatience);
    return HandleFormatQuery(call, options_.dialect, budget);
  }
  Response ParseQuery(const Call& call) {
    const QueryBudget budget(0, Clock::now() + kQuickPatience);
    return HandleParseQuery(call, options_.dialect, budget);
  }
  Response ActiveQueryList(const Call&) { return HandleActiveQueries(active_queries_); }
  Response CancelQuery(const Call& call) { return HandleCancelQuery(call, active_queries_); }
  Response QueryExemplars(const Call& call, const Turn&, QueryBudget& budget) {
    const auto select = [&call](ExemplarStore::Selections selections, TimeRange range) {
      return call.data->Exemplars(std::move(selections), range);
    };
    return HandleQueryExemplars(call, select, options_.dialect, budget);
  }

  void RemoteWrite(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleRemoteWrite(request, tenant.ingester, std::move(respond));
  }
  void InfluxWrite(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleInfluxWrite(request, InfluxVersion::k1, tenant.ingester, now_ms_(), std::move(respond));
  }
  void Influx2Write(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleInfluxWrite(request, InfluxVersion::k2, tenant.ingester, now_ms_(), std::move(respond));
  }
  void DatadogSeries(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleDatadogSeries(request, tenant.ingester, now_ms_(), std::move(respond));
  }
  Response DatadogValidate(const Call&) { return HandleDatadogValidate(); }
  Response DatadogSketches(const Call&) { return HandleDatadogSketches(); }
  Response DatadogIntake(const Call&) { return HandleDatadogIntake(); }
  Response DatadogCheckRun(const Call&) { return HandleDatadogCheckRun(); }
  void GroupPush(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleGroupPush(request, tenant.ingester, tenant.push_groups, now_ms_(), std::move(respond));
  }
  void JsonLineImport(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleJsonLineImport(request, tenant.ingester, std::move(respond));
  }
  void TextImport(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleTextImport(request, tenant.ingester, now_ms_(), std::move(respond));
  }
  Response JsonLineExport(const Call& call, const Turn& turn, QueryBudget& budget) {
    return HandleJsonLineExport(call, call.data->written(), {turn.progress, budget, turn.place});
  }
  Response InfluxPing(const Call&) { return HandleInfluxPing(); }
  Response InfluxHealth(const Call&) { return HandleInfluxHealth(); }
  // A browser means the page by this path.
  Response InfluxQuery(const Call& call) {
    return IsPagePath(call.request) ? Page(call) : HandleInfluxQuery(call);
  }
  void LogPush(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleLogPush(request, {tenant.pusher, options_.ingest, now_ms_()}, std::move(respond));
  }
  void StepPush(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleStepPush(request, {tenant.pusher, options_.ingest, now_ms_()}, std::move(respond));
  }
  void OtlpMetrics(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleOtlpMetrics(request, tenant.otlp_decoder, tenant.ingester, std::move(respond));
  }
  void Register(const Request& request, tenants::Tenant& tenant, Respond respond) {
    HandleRegister(request, tenant.ingester, now_ms_(), std::move(respond));
  }
  Response Roles(const Call& call) { return HandleRoles(call); }
  Response Identity(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleIdentity(call, call.data->storage(), now_ms_(), budget);
  }

  Response Query(const Call& call, const Turn& turn, QueryBudget& budget) {
    return HandleQuery(call, ContextOf(call, turn), budget);
  }
  Response QueryRange(const Call& call, const Turn& turn, QueryBudget& budget) {
    const std::string_view axis = call.form.Get("axis");
    if (axis == "step")
      return HandleQueryOverSteps(call, ContextOf(call, turn), TrainingOf(call), budget);
    if (!axis.empty() && axis != "time") {
      return InvalidParameter("axis", "it is neither time nor step");
    }
    return HandleQueryRange(call, ContextOf(call, turn), budget);
  }
  Response Explain(const Call& call, const Turn& turn, QueryBudget& budget) {
    return HandleExplain(call, ContextOf(call, turn), budget);
  }
  Response Series(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleSeries(call, call.data->storage(), budget);
  }
  Response Labels(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleLabels(call, call.data->storage(), budget);
  }
  Response LabelValues(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleLabelValues(call, call.data->storage(), budget);
  }
  SearchContext SearchOf(const Call& call) { return {call.data->storage(), now_ms_()}; }
  Response SearchMetricNames(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleSearchMetricNames(call, SearchOf(call), budget);
  }
  Response SearchLabelNames(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleSearchLabelNames(call, SearchOf(call), budget);
  }
  Response SearchLabelValues(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleSearchLabelValues(call, SearchOf(call), budget);
  }
  Response Metadata(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleMetadata(call, budget);
  }
  Response RemoteRead(const Call& call, const Turn& turn, QueryBudget& budget) {
    return HandleRemoteRead(call, call.data->storage(), {turn.progress, budget, turn.place});
  }
  Response Federate(const Call& call, const Turn& turn, QueryBudget& budget) {
    return HandleFederate(
        call, {call.data->storage(), now_ms_(), call.data->engine().lookback_ms(), turn.progress},
        budget);
  }
  Response Tsdb(const Call& call, const Turn&, QueryBudget&) {
    return HandleTsdb(call, call.data->storage());
  }
  Response Cardinality(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleCardinality(call, call.data->storage(), budget);
  }
  Response TrainingJobs(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleTrainingJobs(call, TrainingOf(call), budget);
  }
  Response Stragglers(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleStragglers(call, TrainingOf(call), budget);
  }
  Response Bottlenecks(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleBottlenecks(call, TrainingOf(call), budget);
  }
  Response Efficiency(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleEfficiency(call, TrainingOf(call), budget);
  }
  Response Ledger(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleLedger(call, TrainingOf(call), budget);
  }
  Response Events(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleEvents(call, TrainingOf(call), budget);
  }
  Response Comparison(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleComparison(call, TrainingOf(call), budget);
  }
  Response HeatMap(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleHeatMap(call, TrainingOf(call), budget);
  }
  Response Steps(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleSteps(call, TrainingOf(call), budget);
  }
  Response Report(const Call& call, const Turn&, QueryBudget& budget) {
    return HandleReport(call, TrainingOf(call), budget);
  }
  Response Reload(const Call&, const Turn&, QueryBudget&);
  Response Snapshot(const Call& call, const Turn&, QueryBudget&) {
    return HandleSnapshot(call, admin_);
  }
  Response Backup(const Call& call, const Turn&, QueryBudget&) {
    return HandleBackup(call, admin_, options_.backup_folder);
  }
  Response DeleteSeries(const Call& call, const Turn&, QueryBudget&) {
    if (admin_ == nullptr) return HandleDeleteSeries(call, nullptr);
    if (call.data->tenants().size() > 1) {
      return ErrorReply(ErrorType::kBadData, "series are deleted of one tenant at a time");
    }
    tenants::TenantAdmin admin(*admin_, call.data->tenants().front()->name);
    return HandleDeleteSeries(call, &admin);
  }
  Response CleanTombstones(const Call& call, const Turn&, QueryBudget&) {
    return HandleCleanTombstones(call, admin_);
  }

  tenants::Tenants& tenants_;
  StorageAdmin* const admin_;
  QueryLog* const query_log_;
  const scrape::Scraper* const scraper_;
  const rules::RuleRunner* const rules_;
  const rules::Notifier* const notifier_;
  const rules::HookRunner* const hooks_;
  const std::function<absl::Status()> reload_;
  const std::span<const web::PageFile> page_files_;
  const ServerInfo info_;
  const ApiOptions options_;
  const std::function<int64_t()> now_ms_;
  std::atomic<int64_t> max_query_samples_;
  std::atomic<std::chrono::milliseconds> query_timeout_;
  RequestCounters counters_;
  std::atomic<bool> ready_{false};
  std::atomic<uint64_t> query_samples_total_{0};
  mutable Mutex config_mutex_;
  ConfigState config_ LOCKSTEP_GUARDED_BY(config_mutex_);
  Notifications notifications_;
  ProfileRunner profiles_;
  ActiveQueries active_queries_;
  // Last: its threads use all of the above.
  QueryGate gate_;
};

const ApiServer::Route* ApiServer::Routes(size_t& count) {
  using enum Methods;
  using enum Needs;
  using enum Role;
  using enum Reach;
  using A = ApiServer;
  static constexpr Route kRoutes[] = {
      {"/", kGet, kNothing, kRead, &A::Page},
      {"/assets/:file", kGet, kNothing, kRead, &A::PageAsset},
      {"/-/healthy", kGet, kNothing, kNone, &A::Healthy},
      {"/-/ready", kGet, kReadyStore, kNone, &A::Ready},
      {"/-/reload", kPostAndPut, kNothing, kRules, nullptr, &A::Reload},
      {"/api/v1/write", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::RemoteWrite},
      {"/api/v1/otlp/v1/metrics", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::OtlpMetrics},
      {"/v1/metrics", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::OtlpMetrics},
      {"/write", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::InfluxWrite},
      {"/api/v2/write", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::Influx2Write},
      {"/api/v1/import", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::JsonLineImport},
      {"/api/v1/import/prometheus", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::TextImport},
      {"/api/v1/export", kGetAndPost, kReadyStore, kRead, nullptr, &A::JsonLineExport},
      {"/metrics/job/:group*", kDeletePostAndPut, kReadyStore, kPush, nullptr, nullptr,
       &A::GroupPush},
      {"/metrics/job@base64/:group*", kDeletePostAndPut, kReadyStore, kPush, nullptr, nullptr,
       &A::GroupPush},
      {"/datadog/api/v1/series", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::DatadogSeries},
      {"/datadog/api/v2/series", kPost, kReadyStore, kWrite, nullptr, nullptr, &A::DatadogSeries},
      {"/datadog/api/v1/validate", kGet, kNothing, kAny, &A::DatadogValidate},
      {"/datadog/api/beta/sketches", kPost, kNothing, kWrite, &A::DatadogSketches},
      {"/datadog/api/v1/check_run", kPost, kNothing, kWrite, &A::DatadogCheckRun},
      {"/datadog/api/v1/metadata", kPost, kNothing, kWrite, &A::DatadogIntake},
      {"/datadog/intake", kPost, kNothing, kWrite, &A::DatadogIntake},
      {"/datadog/intake/", kPost, kNothing, kWrite, &A::DatadogIntake},
      {"/ping", kGet, kNothing, kNone, &A::InfluxPing},
      {"/health", kGet, kReadyStore, kNone, &A::InfluxHealth},
      {"/query", kGetAndPost, kNothing, kAny, &A::InfluxQuery},
      {"/api/v1/push/log", kPost, kReadyStore, kPush, nullptr, nullptr, &A::LogPush},
      {"/api/v1/push/steps", kPost, kReadyStore, kPush, nullptr, nullptr, &A::StepPush},
      {"/api/v1/read", kPost, kReadyStore, kRead, nullptr, &A::RemoteRead},
      {"/federate", kGet, kReadyStore, kRead, nullptr, &A::Federate},
      {"/api/v1/query", kGetAndPost, kReadyStore, kRead, nullptr, &A::Query},
      {"/api/v1/query_range", kGetAndPost, kReadyStore, kRead, nullptr, &A::QueryRange},
      {"/api/v1/explain", kGetAndPost, kReadyStore, kRead, nullptr, &A::Explain},
      {"/api/v1/series", kGetAndPost, kReadyStore, kRead, nullptr, &A::Series},
      {"/api/v1/labels", kGetAndPost, kReadyStore, kRead, nullptr, &A::Labels},
      {"/api/v1/label/:name/values", kGet, kReadyStore, kRead, nullptr, &A::LabelValues},
      {"/api/v1/search/metric_names", kGetAndPost, kReadyStore, kRead, nullptr,
       &A::SearchMetricNames},
      {"/api/v1/search/label_names", kGetAndPost, kReadyStore, kRead, nullptr,
       &A::SearchLabelNames},
      {"/api/v1/search/label_values", kGetAndPost, kReadyStore, kRead, nullptr,
       &A::SearchLabelValues},
      {"/api/v1/training/jobs", kGetAndPost, kReadyStore, kRead, nullptr, &A::TrainingJobs},
      {"/api/v1/training/stragglers", kGetAndPost, kReadyStore, kRead, nullptr, &A::Stragglers},
      {"/api/v1/training/bottlenecks", kGetAndPost, kReadyStore, kRead, nullptr, &A::Bottlenecks},
      {"/api/v1/training/mfu", kGetAndPost, kReadyStore, kRead, nullptr, &A::Efficiency},
      {"/api/v1/training/ledger", kGetAndPost, kReadyStore, kRead, nullptr, &A::Ledger},
      {"/api/v1/training/events", kGetAndPost, kReadyStore, kRead, nullptr, &A::Events},
      {"/api/v1/training/compare", kGetAndPost, kReadyStore, kRead, nullptr, &A::Comparison},
      {"/api/v1/training/heatmap", kGetAndPost, kReadyStore, kRead, nullptr, &A::HeatMap},
      {"/api/v1/training/steps", kGetAndPost, kReadyStore, kRead, nullptr, &A::Steps},
      {"/api/v1/training/register", kPost, kReadyStore, kPush, nullptr, nullptr, &A::Register},
      {"/api/v1/training/identity", kGetAndPost, kReadyStore, kRead, nullptr, &A::Identity},
      {"/api/v1/training/roles", kGetAndPost, kReadyStore, kRead, &A::Roles},
      {"/api/v1/training/report", kGetAndPost, kReadyStore, kRead, nullptr, &A::Report},
      {"/api/v1/query_exemplars", kGetAndPost, kReadyStore, kRead, nullptr, &A::QueryExemplars},
      {"/api/v1/format_query", kGetAndPost, kReadyStore, kRead, &A::FormatQuery},
      {"/api/v1/parse_query", kGetAndPost, kReadyStore, kRead, &A::ParseQuery},
      {"/api/v1/metadata", kGet, kReadyStore, kRead, nullptr, &A::Metadata},
      {"/api/v1/rules", kGet, kReadyStore, kRead, &A::Rules, nullptr, nullptr, kAllJobs},
      {"/api/v1/alerts", kGet, kReadyStore, kRead, &A::Alerts, nullptr, nullptr, kAllJobs},
      {"/api/v1/alertmanagers", kGet, kNothing, kRead, &A::Alertmanagers, nullptr, nullptr,
       kAllJobs},
      {"/api/v1/targets", kGet, kNothing, kRead, &A::Targets, nullptr, nullptr, kAllJobs},
      {"/api/v1/targets/metadata", kGet, kNothing, kRead, &A::TargetsMetadata, nullptr, nullptr,
       kAllJobs},
      {"/api/v1/targets/relabel_steps", kGet, kNothing, kRead, &A::RelabelSteps, nullptr, nullptr,
       kAllJobs},
      {"/api/v1/scrape_pools", kGet, kNothing, kRead, &A::ScrapePools, nullptr, nullptr, kAllJobs},
      {"/api/v1/status/buildinfo", kGet, kNothing, kRead, &A::BuildInfo},
      {"/api/v1/status/runtimeinfo", kGet, kNothing, kRead, &A::RuntimeInfo},
      {"/api/v1/status/flags", kGet, kNothing, kAdmin, &A::Flags, nullptr, nullptr, kAllTenants},
      {"/api/v1/status/config", kGet, kNothing, kAdmin, &A::Config, nullptr, nullptr, kAllTenants},
      {"/api/v1/status/memory", kGet, kNothing, kRead, &A::Memory},
      {"/api/v1/status/walreplay", kGet, kNothing, kRead, &A::WalReplay},
      {"/api/v1/status/tsdb", kGet, kReadyStore, kRead, nullptr, &A::Tsdb},
      {"/api/v1/status/tsdb/blocks", kGet, kNothing, kRead, &A::Blocks},
      {"/api/v1/features", kGet, kNothing, kRead, &A::Features},
      {"/api/v1/openapi.yaml", kGet, kNothing, kRead, &A::OpenApi},
      {"/api/v1/notifications", kGet, kNothing, kRead, &A::NotificationList},
      {"/api/v1/notifications/live", kGet, kNothing, kRead, &A::LiveNotifications},
      {"/api/v1/status/cardinality", kGet, kReadyStore, kRead, nullptr, &A::Cardinality},
      {"/api/v1/status/active_queries", kGet, kNothing, kAdmin, &A::ActiveQueryList, nullptr,
       nullptr, kAllTenants},
      {"/api/v1/status/active_queries/:id", kDeleteAndPost, kNothing, kAdmin, &A::CancelQuery,
       nullptr, nullptr, kAllTenants},
      {"/debug/pprof/", kGet, kNothing, kAdmin, &A::ProfileIndex, nullptr, nullptr, kAllTenants},
      {"/debug/pprof/profile", kGet, kNothing, kAdmin, nullptr, nullptr, nullptr, kAllTenants,
       &A::CpuProfile},
      {"/debug/pprof/heap", kGet, kNothing, kAdmin, &A::HeapProfile, nullptr, nullptr, kAllTenants},
      {"/debug/pprof/cmdline", kGet, kNothing, kAdmin, &A::CommandLine, nullptr, nullptr,
       kAllTenants},
      {"/api/v1/admin/tsdb/snapshot", kPostAndPut, kReadyStore, kAdmin, nullptr, &A::Snapshot,
       nullptr, kAllTenants},
      {"/api/v1/admin/tsdb/delete_series", kPostAndPut, kReadyStore, kAdmin, nullptr,
       &A::DeleteSeries},
      {"/api/v1/admin/tsdb/clean_tombstones", kPostAndPut, kReadyStore, kAdmin, nullptr,
       &A::CleanTombstones, nullptr, kAllTenants},
      {"/api/v1/admin/backup", kPostAndPut, kReadyStore, kAdmin, nullptr, &A::Backup, nullptr,
       kAllTenants},
  };
  count = std::size(kRoutes);
  return kRoutes;
}

ApiServer::Match ApiServer::FindRoute(std::string_view path) {
  size_t count = 0;
  const Route* routes = Routes(count);
  for (size_t i = 0; i < count; ++i) {
    if (const auto parameter = MatchPath(routes[i].pattern, path)) return {&routes[i], *parameter};
  }
  return {};
}

std::string_view ApiServer::AllowHeader(Methods methods) {
  switch (methods) {
    case Methods::kGet:
      return "GET, HEAD, OPTIONS";
    case Methods::kPost:
      return "POST, OPTIONS";
    case Methods::kPostAndPut:
      return "POST, PUT, OPTIONS";
    case Methods::kDeleteAndPost:
      return "DELETE, POST, OPTIONS";
    case Methods::kDeletePostAndPut:
      return "DELETE, POST, PUT, OPTIONS";
    case Methods::kGetAndPost:
      break;
  }
  return "GET, HEAD, POST, OPTIONS";
}

bool ApiServer::IsAllowed(Methods methods, std::string_view method) {
  const bool may_read = methods == Methods::kGet || methods == Methods::kGetAndPost;
  if (method == "GET") return may_read;
  const bool is_of_groups = methods == Methods::kDeletePostAndPut;
  if (method == "PUT") return methods == Methods::kPostAndPut || is_of_groups;
  if (method == "DELETE") return methods == Methods::kDeleteAndPost || is_of_groups;
  return method == "POST" && methods != Methods::kGet;
}

Role ApiServer::RoleFor(std::string_view path) const {
  const Route* const route = FindRoute(path).route;
  return route == nullptr ? Role::kAny : route->role;
}

// `respond`, and a count of what was answered and how long it took.
Respond ApiServer::Counted(std::string_view handler, Respond respond) {
  return [this, handler, start = Clock::now(),
          respond = std::move(respond)](Response response) mutable {
    counters_.Count(handler, response.status, Clock::now() - start);
    respond(std::move(response));
  };
}

void ApiServer::Handle(Request request, Respond respond) {
  Match match = FindRoute(request.path());
  if (match.route == nullptr && IsPagePath(request)) match = FindRoute("/");
  if (match.route == nullptr) {
    return Counted("other", std::move(respond))(TextReply(404, "404 page not found"));
  }
  respond = Counted(match.route->pattern, std::move(respond));
  if (!IsAllowed(match.route->methods, request.method)) {
    Response response = TextReply(405, "Method Not Allowed");
    response.headers.push_back({"Allow", std::string(AllowHeader(match.route->methods))});
    return respond(std::move(response));
  }
  if (match.route->needs == Needs::kReadyStore && !ready_) {
    return respond(NotReady("it has not started yet"));
  }
  Dispatch(match, std::move(request), std::move(respond));
}

void ApiServer::Dispatch(const Match& match, Request request, Respond respond) {
  const Route& route = *match.route;
  // Whoever watches the server is answered however little memory there is.
  if (route.role == Role::kNone) return respond((this->*route.quick)(Call()));
  const absl::StatusOr<std::vector<std::string>> tenants = TenantsOf(request);
  if (!tenants.ok()) return respond(TenantRefusal(tenants.status()));
  if (const absl::Status reaches = CheckReach(route, request.grant); !reaches.ok()) {
    return respond(TenantRefusal(reaches));
  }
  if (route.writing != nullptr) return Write(route, request, *tenants, std::move(respond));
  MemoryCharge memory(MemoryAccount::kForms);
  absl::Status fits = CheckForm(request);
  if (fits.ok()) fits = memory.Add(FormBytes(request));
  if (!fits.ok()) return respond(FormRefusal(fits));
  Call call{
      Form::Of(request), PercentDecode(match.parameter, PlusSign::kIsPlus), {}, std::move(memory)};
  if (fits = CheckQueryTexts(call.form, options_.max_query_bytes); !fits.ok()) {
    return respond(FailureReply(fits));
  }
  if (IsForm(request)) request.body = std::string();
  call.data = ViewOf(*tenants, request.grant);
  call.request = std::move(request);
  if (route.quick != nullptr) return respond((this->*route.quick)(call));
  if (route.late != nullptr) return (this->*route.late)(std::move(call), std::move(respond));
  RunPooled(route, std::move(call), std::move(respond));
}

absl::Status ApiServer::CheckReach(const Route& route, const Grant& grant) {
  const bool is_held_to_tenants = grant.tenants.has_value() && route.reach == Reach::kAllTenants;
  const bool is_held_to_jobs = grant.jobs.has_value() && route.reach != Reach::kSomeJobs;
  if (!is_held_to_tenants && !is_held_to_jobs) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrFormat("this path is about all %s, and this credential is for some",
                      is_held_to_tenants ? "tenants" : "jobs"));
}

void ApiServer::Write(const Route& route, const Request& request,
                      const std::vector<std::string>& tenants, Respond respond) {
  if (tenants.size() != 1) {
    return respond(
        TenantRefusal(absl::InvalidArgumentError("samples are written to one tenant at a time")));
  }
  const absl::StatusOr<std::shared_ptr<tenants::Tenant>> tenant =
      tenants_.ForWriting(tenants.front());
  if (!tenant.ok()) return respond(TenantRefusal(tenant.status()));
  (this->*route.writing)(request, **tenant,
                         [tenant = *tenant, respond = std::move(respond)](
                             Response response) mutable { respond(std::move(response)); });
}

std::shared_ptr<const tenants::DataView> ApiServer::ViewOf(const std::vector<std::string>& names,
                                                           const Grant& grant) {
  std::vector<std::shared_ptr<tenants::Tenant>> tenants;
  for (const std::string& name : names) tenants.push_back(tenants_.ForReading(name));
  return std::make_shared<const tenants::DataView>(std::move(tenants), grant.jobs);
}

Response ApiServer::Reload(const Call&, const Turn&, QueryBudget&) {
  if (!reload_) return TextReply(403, "Lifecycle API is not enabled.");
  const absl::Status status = reload_();
  if (status.ok()) return TextReply(200, "");
  return TextReply(500, absl::StrFormat("failed to reload config: %s", Message(status)));
}

void ApiServer::ConfigReread(absl::StatusOr<std::string> config_yaml) {
  const bool is_read = config_yaml.ok();
  {
    const MutexLock lock(config_mutex_);
    config_.last_read_succeeded = is_read;
    if (is_read) {
      config_.yaml = *std::move(config_yaml);
      config_.time_ms = now_ms_();
    }
  }
  if (is_read) return notifications_.Remove(kRereadFailed);
  notifications_.Add(kRereadFailed, now_ms_());
}

QueryDescription ApiServer::Describe(const Call& call) {
  QueryDescription description;
  description.path = call.request.path();
  description.text = call.form.Get("query");
  for (const std::string_view selector : call.form.GetAll("match[]")) {
    if (!description.text.empty()) description.text += ", ";
    description.text += selector;
  }
  description.user = call.request.user;
  description.client = call.request.remote_address;
  description.start_ms = now_ms_();
  return description;
}

void ApiServer::RunPooled(const Route& route, Call call, Respond respond) {
  const auto timeout = TimeoutOf(call.form, query_timeout_.load());
  if (!timeout.ok()) return respond(FailureReply(timeout.status()));
  std::shared_ptr<CancelSignal> cancel = call.request.cancel;
  auto ticket = active_queries_.Add(Describe(call), cancel);
  const QueryGate::Limits limits{.max_samples = max_query_samples_,
                                 .timeout = *timeout,
                                 .arrived = call.request.arrived,
                                 .client = ClientOf(call.request)};
  gate_.Submit(
      limits, std::move(cancel),
      [this, handler = route.pooled, call = std::move(call), ticket = std::move(ticket),
       respond = std::move(respond), start = Clock::now()](
          const absl::Status& admitted, QueryBudget& budget, QueryGate::Place place) mutable {
        if (!admitted.ok()) {
          ticket.reset();
          return respond(FailureReply(admitted));
        }
        ticket->Start(budget);
        const std::chrono::duration<double> queued = Clock::now() - start;
        const Turn turn{queued.count(), ticket->progress(), place};
        Response response = (this->*handler)(call, turn, budget);
        // What the client has not taken yet is memory, too.
        const auto body_bytes = static_cast<int64_t>(response.body.capacity());
        constexpr int64_t kShortBytes = 64 << 10;
        const absl::Status fits =
            body_bytes <= kShortBytes ? absl::OkStatus() : budget.ChargeAnswer(body_bytes);
        if (!fits.ok()) response = FailureReply(fits);
        response.place = std::move(place);
        if (response.rest != nullptr) {
          response.rest = std::make_unique<HeldBody>(call.data, std::move(response.rest));
        }
        // First: whoever has the answer does not find the query any more.
        ticket.reset();
        respond(std::move(response));
      });
}

ApiStats ApiServer::stats() const {
  ApiStats stats;
  counters_.Fill(stats);
  const QueryGateStats gate = gate_.stats();
  stats.queries_running = gate.running;
  stats.queries_queued = gate.queued;
  stats.queries_refused = gate.refused;
  stats.query_samples_total = query_samples_total_;
  stats.range_cache.kept = tenants_.Default().range_cache.stats().kept;
  for (const std::shared_ptr<const tenants::Tenant>& tenant : tenants_.active()) {
    const cache::RangeCacheStats range_cache = tenant->range_cache.stats();
    stats.range_cache.hit_count += range_cache.hit_count;
    stats.range_cache.miss_count += range_cache.miss_count;
    stats.range_cache.known_step_count += range_cache.known_step_count;
    stats.ingest += tenant->ingester.stats();
    stats.push += tenant->pusher.stats();
    stats.metadata_metric_count += tenant->ingester.metadata().metric_count();
  }
  const tenants::Tenants::PastStats past = tenants_.past_stats();
  stats.ingest += past.ingest;
  stats.push += past.push;
  stats.memory = MemoryBudget::OfProcess().stats();
  if (scraper_ != nullptr) stats.scrape = scraper_->stats();
  if (rules_ != nullptr) stats.rules = rules_->stats();
  if (notifier_ != nullptr) {
    const rules::NotifierStats told = notifier_->stats();
    stats.rules.alertmanagers = told.alertmanagers;
    stats.rules.sent_alerts = told.sent;
    stats.rules.dropped_alerts = told.dropped;
    stats.rules.failed_notifications = told.failed_requests;
  }
  if (hooks_ != nullptr) {
    const rules::HookStats done = hooks_->stats();
    stats.rules.remediation_actions = done.actions;
    stats.rules.remediation_failures = done.failures;
    stats.rules.remediation_refusals = done.refusals;
  }
  return stats;
}

}  // namespace

std::unique_ptr<Api> MakeApi(ApiDependencies dependencies) {
  return std::make_unique<ApiServer>(std::move(dependencies));
}

}  // namespace lockstep::api
