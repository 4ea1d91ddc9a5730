// WriteHandler: the HTTP meaning of a write.
//
//   204  everything is durable
//   400  the body cannot be decoded (nothing stored), or some series were refused (the others are stored);
//        the text says which and why. Senders do not repeat it
//   403  the server only reads; nothing stored. A Prometheus drops what was answered so and goes on
//   413  over a limit of ingest/limits.h; nothing stored
//   415  an encoding or a message that we do not read; nothing stored
//   429  nothing stored, Retry-After says when to come again: over the rate limit. A Prometheus drops what
//        was answered so, unless told not to: that is for the limit that somebody has set, and for nothing else
//   503  nothing stored, Retry-After says when to come again: the write queue or the disk is full, or the
//        server is closing
//   500  the store is broken
#pragma once

#include "api/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Answers from a thread of the store, or before it returns. `request.body` is
// decoded on the calling thread.
void HandleRemoteWrite(const Request& request, Ingester& ingester, Respond respond);

}  // namespace lockstep::api
