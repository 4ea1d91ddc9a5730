// What the server says about itself: at /metrics in the Prometheus text format, at
// /api/v1/status/self_metrics in JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/api_stats.h"
#include "api/http.h"
#include "server/http_stats.h"
#include "server/otlp_grpc_stats.h"
#include "server/process_metrics.h"
#include "storage/storage.h"

namespace lockstep::server {

struct SelfSnapshot {
  std::string version;
  std::string revision;
  StorageStats storage;
  api::ApiStats api;
  HttpStats http;
  std::optional<OtlpGrpcStats> otlp_grpc;  // if there is such a door
  ProcessMetrics process;
};

std::string RenderMetrics(const SelfSnapshot& snapshot);

// Answers GET for these two paths and leaves everything else to another handler. Safe from any
// thread.
class MetricsEndpoint final : public api::Handler {
 public:
  // `next` outlives the endpoint; `snapshot` is called from any thread.
  MetricsEndpoint(api::Handler& next, std::function<SelfSnapshot()> snapshot)
      : next_(next), snapshot_(std::move(snapshot)) {}

  void Handle(api::Request request, api::Respond respond) override;
  api::Role RoleFor(std::string_view path) const override;

 private:
  api::Handler& next_;
  const std::function<SelfSnapshot()> snapshot_;
};

}  // namespace lockstep::server
