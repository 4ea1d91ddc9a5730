// GrpcDoor: the state shared by all connections and calls of the gRPC server. Must outlive them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "api/http/http.h"
#include "base/budget/fair_pool.h"
#include "server/auth/audit_log.h"
#include "server/auth/authenticator.h"
#include "server/limits/body_budget.h"
#include "server/limits/worker_pool.h"
#include "server/otlp_grpc/grpc_limits.h"
#include "server/otlp_grpc/grpc_status.h"

namespace lockstep::server {

// Safe from any thread.
struct GrpcCounters {
  std::atomic<uint64_t> received_bytes{0};         // of complete messages
  std::atomic<uint64_t> displaced_connections{0};  // closed to make room for others
  std::atomic<uint64_t> broken_connections{0};     // closed because of a flood or a protocol error
  std::array<std::atomic<uint64_t>, kGrpcCodeCount> answers{};
};

struct GrpcDoor {
  GrpcDoor(api::Handler& api_handler, const WebConfig& web, AuditLog* audit_log,
           const GrpcLimits& grpc_limits, int worker_threads)
      : handler(api_handler),
        audit(audit_log),
        limits(grpc_limits),
        authenticator(web),
        budget(grpc_limits.max_message_bytes_in_flight),
        calls(grpc_limits.max_calls),
        workers(worker_threads, grpc_limits.max_calls, kRequestQueue) {}

  api::Handler& handler;
  AuditLog* const audit;  // null: no audit log
  const GrpcLimits limits;
  Authenticator authenticator;
  BodyBudget budget;
  FairPool calls;  // given to the handler but not answered yet
  GrpcCounters counters;
  WorkerPool workers;
};

}  // namespace lockstep::server
