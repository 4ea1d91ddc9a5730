// GrpcDoor: what all connections and calls of the gRPC door share; outlives them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "api/http.h"
#include "base/fair_pool.h"
#include "server/audit_log.h"
#include "server/authenticator.h"
#include "server/body_budget.h"
#include "server/otlp_grpc/grpc_limits.h"
#include "server/otlp_grpc/grpc_status.h"
#include "server/worker_pool.h"

namespace lockstep::server {

// Safe from any thread.
struct GrpcCounters {
  std::atomic<uint64_t> received_bytes{0};         // of whole messages
  std::atomic<uint64_t> displaced_connections{0};  // closed for want of room for others
  std::atomic<uint64_t> broken_connections{0};     // ended for a flood or a breach of the protocol
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
  AuditLog* const audit;  // null: none is kept
  const GrpcLimits limits;
  Authenticator authenticator;
  BodyBudget budget;
  FairPool calls;  // handed to the handler and not answered
  GrpcCounters counters;
  WorkerPool workers;
};

}  // namespace lockstep::server
