#include "api/api.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "api/admin/page_handler.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/http/request_limits.h"
#include "api/http/tenant_access.h"

namespace lockstep::api {
namespace {

using Clock = std::chrono::steady_clock;

// The `timeout` parameter can only lower the server's timeout.
absl::StatusOr<std::chrono::nanoseconds> TimeoutOf(const Form& form,
                                                   std::chrono::nanoseconds longest) {
  const std::string_view text = form.Get("timeout");
  if (text.empty()) return longest;
  const auto timeout = ParseDuration(text);
  if (!timeout.ok()) return Annotate(timeout.status(), "invalid parameter \"timeout\"");
  return std::min(*timeout, longest);
}

// Notification texts.
constexpr std::string_view kStarting = "lockstep is starting.";
constexpr std::string_view kStopping = "lockstep is shutting down.";
constexpr std::string_view kRereadFailed = "Configuration reload has failed.";

// Plain text, because clients that write do not expect JSON.
Response TenantRefusal(const absl::Status& status) {
  int http_status = 503;
  if (absl::IsInvalidArgument(status)) http_status = 400;
  if (absl::IsPermissionDenied(status)) http_status = 403;
  if (absl::IsResourceExhausted(status)) http_status = 422;
  return TextReply(http_status, Message(status));
}

// Holds on to what the parts of a body read from.
class HeldBody : public BodySource {
 public:
  HeldBody(std::shared_ptr<const tenants::DataView> data, std::unique_ptr<BodySource> body)
      : data_(std::move(data)), body_(std::move(body)) {}

  absl::StatusOr<bool> Next(std::string& out) override { return body_->Next(out); }

 private:
  const std::shared_ptr<const tenants::DataView> data_;
  const std::unique_ptr<BodySource> body_;
};

absl::Status CheckReach(const Route& route, const Grant& grant) {
  const bool is_held_to_tenants = grant.tenants.has_value() && route.reach == Reach::kAllTenants;
  const bool is_held_to_jobs = grant.jobs.has_value() && route.reach != Reach::kSomeJobs;
  if (!is_held_to_tenants && !is_held_to_jobs) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrFormat(
      "this path requires access to all %s, but this credential is restricted to some of them",
      is_held_to_tenants ? "tenants" : "jobs"));
}

std::shared_ptr<const tenants::DataView> ViewOf(tenants::Tenants& all,
                                                const std::vector<std::string>& names,
                                                const Grant& grant) {
  std::vector<std::shared_ptr<tenants::Tenant>> tenants;
  for (const std::string& name : names) tenants.push_back(all.ForReading(name));
  return std::make_shared<const tenants::DataView>(std::move(tenants), grant.jobs);
}

QueryDescription Describe(const Call& call, int64_t now_ms) {
  QueryDescription description;
  description.path = call.request.path();
  description.text = call.form.Get("query");
  for (const std::string_view selector : call.form.GetAll("match[]")) {
    if (!description.text.empty()) description.text += ", ";
    description.text += selector;
  }
  description.user = call.request.user;
  description.client = call.request.remote_address;
  description.start_ms = now_ms;
  return description;
}

}  // namespace

Api::Api(ApiDependencies dependencies)
    : services_(std::move(dependencies)),
      max_query_samples_(services_.options.max_query_samples),
      query_timeout_(services_.options.query_timeout),
      gate_({.max_running = static_cast<size_t>(services_.options.max_concurrent_queries)}) {
  services_.notifications.Add(kStarting, services_.now_ms());
}

void Api::SetReady(bool ready) {
  ready_ = ready;
  if (ready) services_.notifications.Remove(kStarting);
}

void Api::StopQueries() {
  services_.notifications.Add(kStopping, services_.now_ms());
  services_.notifications.End();
  services_.profiles.Stop();
  gate_.Close();
}

void Api::SetLimits(const ApiLimits& limits) {
  max_query_samples_ = limits.max_query_samples;
  query_timeout_ = limits.query_timeout;
}

Role Api::RoleFor(std::string_view method, std::string_view path) const {
  const Route* const route = FindRoute(method, path).route;
  return route == nullptr ? Role::kAny : route->role;
}

// Wraps `respond` to count the response and its duration.
Respond Api::Counted(std::string_view handler, Respond respond) {
  return [this, handler, start = Clock::now(),
          respond = std::move(respond)](Response response) mutable {
    counters_.Count(handler, response.status, Clock::now() - start);
    respond(std::move(response));
  };
}

// Parameters in the target only, and few enough to parse at once.
bool Api::OnlyQueues(const Request& request) const {
  constexpr size_t kShortTargetBytes = 4 << 10;
  if (request.method != "GET" || !request.body.empty()) return false;
  if (request.target.size() > kShortTargetBytes) return false;
  const Route* const route = FindRoute(request.method, request.path()).route;
  return route != nullptr && std::holds_alternative<PooledHandler>(route->handler);
}

void Api::Handle(Request request, Respond respond) {
  RouteMatch match = FindRoute(request.method, request.path());
  if (match.route == nullptr && IsPagePath(request)) match = FindRoute(request.method, "/");
  if (match.route == nullptr) {
    return Counted("other", std::move(respond))(TextReply(404, "404 page not found"));
  }
  respond = Counted(match.route->pattern, std::move(respond));
  if (!match.route->Allows(request.method)) {
    Response response = TextReply(405, "Method Not Allowed");
    response.headers.push_back({"Allow", AllowedMethods(match.route->pattern)});
    return respond(std::move(response));
  }
  if (match.route->needs == Needs::kReadyStore && !ready_) {
    return respond(NotReadyReply("it has not started yet"));
  }
  Dispatch(match, std::move(request), std::move(respond));
}

void Api::Dispatch(const RouteMatch& match, Request request, Respond respond) {
  const Route& route = *match.route;
  // Monitoring requests are served no matter how little memory is left.
  const auto* const quick = std::get_if<QuickHandler>(&route.handler);
  if (route.role == Role::kNone) return respond((*quick)(services_, Call()));
  const absl::StatusOr<std::vector<std::string>> tenants = TenantsOf(request);
  if (!tenants.ok()) return respond(TenantRefusal(tenants.status()));
  if (const absl::Status reaches = CheckReach(route, request.grant); !reaches.ok()) {
    return respond(TenantRefusal(reaches));
  }
  if (const auto* const write = std::get_if<WriteHandler>(&route.handler)) {
    return Write(*write, request, *tenants, std::move(respond));
  }
  MemoryCharge memory(MemoryAccount::kForms);
  absl::Status fits = CheckForm(request);
  if (fits.ok()) fits = memory.Add(FormBytes(request));
  if (!fits.ok()) return respond(FormRefusal(fits));
  Call call{
      Form::Of(request), PercentDecode(match.parameter, PlusSign::kIsPlus), {}, std::move(memory)};
  if (fits = CheckQueryTexts(call.form, services_.options.max_query_bytes); !fits.ok()) {
    return respond(FailureReply(fits));
  }
  if (IsForm(request)) request.body = std::string();
  call.data = ViewOf(services_.tenants, *tenants, request.grant);
  call.request = std::move(request);
  if (quick != nullptr) return respond((*quick)(services_, call));
  if (const auto* const late = std::get_if<LateHandler>(&route.handler)) {
    return (*late)(services_, std::move(call), std::move(respond));
  }
  RunPooled(std::get<PooledHandler>(route.handler), std::move(call), std::move(respond));
}

void Api::Write(WriteHandler handler, const Request& request,
                const std::vector<std::string>& tenants, Respond respond) {
  if (tenants.size() != 1) {
    return respond(TenantRefusal(
        absl::InvalidArgumentError("samples can be written to only one tenant at a time")));
  }
  const absl::StatusOr<std::shared_ptr<tenants::Tenant>> tenant =
      services_.tenants.ForWriting(tenants.front());
  if (!tenant.ok()) return respond(TenantRefusal(tenant.status()));
  handler(services_, request, **tenant,
          [tenant = *tenant, respond = std::move(respond)](Response response) mutable {
            respond(std::move(response));
          });
}

void Api::ConfigReread(absl::StatusOr<std::string> config_yaml) {
  const bool is_read = config_yaml.ok();
  {
    const MutexLock lock(services_.config_mutex);
    services_.config.last_read_succeeded = is_read;
    if (is_read) {
      services_.config.yaml = *std::move(config_yaml);
      services_.config.time_ms = services_.now_ms();
    }
  }
  if (is_read) return services_.notifications.Remove(kRereadFailed);
  services_.notifications.Add(kRereadFailed, services_.now_ms());
}

void Api::RunPooled(PooledHandler handler, Call call, Respond respond) {
  const auto timeout = TimeoutOf(call.form, query_timeout_.load());
  if (!timeout.ok()) return respond(FailureReply(timeout.status()));
  std::shared_ptr<CancelSignal> cancel = call.request.cancel;
  auto ticket = services_.active_queries.Add(Describe(call, services_.now_ms()), cancel);
  const QueryGate::Limits limits{.max_samples = max_query_samples_,
                                 .timeout = *timeout,
                                 .arrived = call.request.arrived,
                                 .client = ClientOf(call.request)};
  gate_.Submit(
      limits, std::move(cancel),
      [this, handler, call = std::move(call), ticket = std::move(ticket),
       respond = std::move(respond), start = Clock::now()](
          const absl::Status& admitted, QueryBudget& budget, QueryGate::Place place) mutable {
        if (!admitted.ok()) {
          ticket.reset();
          return respond(FailureReply(admitted));
        }
        ticket->Start(budget);
        const std::chrono::duration<double> queued = Clock::now() - start;
        Response response =
            handler(services_, call, {ticket->progress(), budget, place, queued.count()});
        // The unsent part of the response also occupies memory.
        const auto body_bytes = static_cast<int64_t>(response.body.capacity());
        constexpr int64_t kShortBytes = 64 << 10;
        const absl::Status fits =
            body_bytes <= kShortBytes ? absl::OkStatus() : budget.ChargeAnswer(body_bytes);
        if (!fits.ok()) response = FailureReply(fits);
        response.place = std::move(place);
        if (response.rest != nullptr) {
          response.rest = std::make_unique<HeldBody>(call.data, std::move(response.rest));
        }
        // Do this first: once the client has the response, the query must no longer be listed.
        ticket.reset();
        respond(std::move(response));
      });
}

ApiStats Api::stats() const {
  ApiStats stats;
  counters_.Fill(stats);
  const QueryGateStats gate = gate_.stats();
  stats.queries_running = gate.running;
  stats.queries_queued = gate.queued;
  stats.queries_refused = gate.refused;
  stats.query_samples_total = services_.query_samples_total;
  stats.range_cache.kept = services_.tenants.Default().range_cache.stats().kept;
  for (const std::shared_ptr<const tenants::Tenant>& tenant : services_.tenants.active()) {
    const cache::RangeCacheStats range_cache = tenant->range_cache.stats();
    stats.range_cache.hit_count += range_cache.hit_count;
    stats.range_cache.miss_count += range_cache.miss_count;
    stats.range_cache.known_step_count += range_cache.known_step_count;
    stats.ingest += tenant->ingester.stats();
    stats.push += tenant->pusher.stats();
    stats.metadata_metric_count += tenant->ingester.metadata().metric_count();
  }
  const tenants::Tenants::PastStats past = services_.tenants.past_stats();
  stats.ingest += past.ingest;
  stats.push += past.push;
  stats.memory = MemoryBudget::OfProcess().stats();
  if (services_.scraper != nullptr) stats.scrape = services_.scraper->stats();
  if (services_.rules != nullptr) stats.rules = services_.rules->stats();
  if (services_.notifier != nullptr) {
    const rules::NotifierStats notifier = services_.notifier->stats();
    stats.rules.alertmanagers = notifier.alertmanagers;
    stats.rules.sent_alerts = notifier.sent;
    stats.rules.dropped_alerts = notifier.dropped;
    stats.rules.failed_notifications = notifier.failed_requests;
  }
  if (services_.hooks != nullptr) {
    const rules::HookStats done = services_.hooks->stats();
    stats.rules.remediation_actions = done.actions;
    stats.rules.remediation_failures = done.failures;
    stats.rules.remediation_refusals = done.refusals;
  }
  return stats;
}

}  // namespace lockstep::api
