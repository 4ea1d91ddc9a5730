// Handles requests to OTLP's metrics service over HTTP. The body is protobuf or JSON, and the
// response uses the same format.
//
//   200  everything is durable except what partial_success reports
//   400  the body cannot be decoded; nothing stored
//   403, 413, 429, 500, 503  as for remote write (api/ingest/write_handler.h); nothing stored
//   415  unsupported content type or encoding; nothing stored
//
// All responses except 200 have a google.rpc.Status as their body. Senders retry 429 and 503.
// Source: OpenTelemetry Protocol Specification, "OTLP/HTTP".
#pragma once

#include "api/http/http.h"
#include "ingest/ingester.h"
#include "ingest/otlp/metrics_request.h"

namespace lockstep::api {

// Safe from any thread. Responds from a thread of the store, or before it returns. Decodes
// `request.body` on the calling thread.
void HandleOtlpMetrics(const Request& request, otlp::MetricsDecoder& decoder, Ingester& ingester,
                       Respond respond);

}  // namespace lockstep::api
