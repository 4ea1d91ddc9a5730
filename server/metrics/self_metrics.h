// The server's own metrics: at /metrics in the Prometheus text format, and at
// /api/v1/status/self_metrics in JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/api_stats.h"
#include "api/http/http.h"
#include "server/metrics/process_metrics.h"
#include "server/metrics/server_stats.h"
#include "storage/storage.h"

namespace lockstep::server {

struct SelfSnapshot {
  std::string version;
  std::string revision;
  StorageStats storage;
  api::ApiStats api;
  HttpStats http;
  std::optional<OtlpGrpcStats> otlp_grpc;  // if OTLP over gRPC is on
  ProcessMetrics process;
};

std::string RenderMetrics(const SelfSnapshot& snapshot);

// Answers GET for these two paths and forwards everything else to another handler. Safe from any
// thread.
class MetricsEndpoint final : public api::Handler {
 public:
  // `next` must outlive the endpoint; `snapshot` is called from any thread.
  MetricsEndpoint(api::Handler& next, std::function<SelfSnapshot()> snapshot)
      : next_(next), snapshot_(std::move(snapshot)) {}

  void Handle(api::Request request, api::Respond respond) override;
  bool OnlyQueues(const api::Request& request) const override;
  api::Role RoleFor(std::string_view method, std::string_view path) const override;

 private:
  api::Handler& next_;
  const std::function<SelfSnapshot()> snapshot_;
};

}  // namespace lockstep::server
