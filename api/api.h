// The HTTP API of the server: remote write, the Prometheus query API, status pages, health.
//
// Writes are decoded on the calling thread and answered from a thread of the store. Everything that
// reads the store runs on a separate pool, so that a heavy query never delays a write; the pool's
// threads send those responses. Everything else is answered before Handle() returns.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/api_stats.h"
#include "api/http/http.h"
#include "api/query/query_gate.h"
#include "api/request_counters.h"
#include "api/routes.h"
#include "api/services.h"
#include "base/status.h"

namespace lockstep::api {

// The limits that can change while the server runs.
struct ApiLimits {
  int64_t max_query_samples = 0;
  std::chrono::milliseconds query_timeout{};
};

// Safe from any thread. The destructor cancels running queries and waits for them. Writes whose
// callback the store still holds must have finished by then (close the store's queue first, or wait
// for the responses).
class Api : public Handler {
 public:
  explicit Api(ApiDependencies dependencies);

  // Before the first SetReady(true), and after SetReady(false), everything except /-/healthy, / and
  // the status pages that need no store returns 503.
  void SetReady(bool ready);
  // Stops running queries, and answers waiting and new ones with 503, because the server is
  // shutting down. Also ends event streams and profiles. Call this before destroying what sends
  // them. Idempotent.
  void StopQueries();
  // Called after a reload, with the new configuration as in ServerInfo::config_yaml, or with the
  // reason why the old one stays.
  void ConfigReread(absl::StatusOr<std::string> config_yaml);
  // Applies to subsequent requests.
  void SetLimits(const ApiLimits& limits);
  ApiStats stats() const;

  void Handle(Request request, Respond respond) override;
  bool OnlyQueues(const Request& request) const override;
  Role RoleFor(std::string_view method, std::string_view path) const override;

 private:
  Respond Counted(std::string_view handler, Respond respond);
  void Dispatch(const RouteMatch& match, Request request, Respond respond);
  void Write(WriteHandler handler, const Request& request, const std::vector<std::string>& tenants,
             Respond respond);
  void RunPooled(PooledHandler handler, Call call, Respond respond);

  // The first member, because every response is counted here.
  RequestCounters counters_;
  Services services_;
  std::atomic<int64_t> max_query_samples_;
  std::atomic<std::chrono::milliseconds> query_timeout_;
  std::atomic<bool> ready_{false};
  // The last member, because its threads use all of the above.
  QueryGate gate_;
};

}  // namespace lockstep::api
