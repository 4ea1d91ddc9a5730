// OtlpHandler: the HTTP meaning of a request of OTLP's metrics service. The body is protobuf or JSON, and the
// answer is in the same.
//
//   200  everything is durable but what partial_success tells of
//   400  the body cannot be decoded; nothing stored
//   403, 413, 429, 500, 503  as for remote write (api/write_handler.h); nothing stored
//   415  another type, or an encoding that we do not read; nothing stored
//
// All but 200 have a google.rpc.Status for a body. Senders repeat 429 and 503. Source: OpenTelemetry Protocol
// Specification, "OTLP/HTTP".
#pragma once

#include "api/http.h"
#include "ingest/ingester.h"
#include "ingest/otlp/metrics_request.h"

namespace lockstep::api {

// Safe from any thread. Answers from a thread of the store, or before it returns. `request.body` is decoded on the
// calling thread.
void HandleOtlpMetrics(const Request& request, otlp::MetricsDecoder& decoder, Ingester& ingester,
                       Respond respond);

}  // namespace lockstep::api
