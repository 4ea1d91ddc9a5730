// Handles remote write requests over HTTP.
//
//   204  everything is durable
//   400  the body cannot be decoded (nothing stored), or some series were rejected (the others are
//        stored); the text says which and why. Senders do not retry
//   403  the server is read-only; nothing stored. Prometheus drops the data and continues
//   413  over a limit of ingest/write/limits.h; nothing stored
//   415  unsupported encoding or message type; nothing stored
//   429  over the rate limit; nothing stored, Retry-After gives the delay. Prometheus drops the
//        data unless configured otherwise, so only a configured limit may return this
//   503  the write queue or the disk is full, or the server is shutting down; nothing stored,
//        Retry-After gives the delay
//   500  the store is broken
#pragma once

#include "api/http/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Responds from a thread of the store, or before it returns. Decodes
// `request.body` on the calling thread.
void HandleRemoteWrite(const Request& request, Ingester& ingester, Respond respond);

}  // namespace lockstep::api
