// Requests from InfluxDB 1 and 2 senders: writes in line protocol, and server checks.
//
//   POST /write?db=&rp=&precision=               InfluxDB 1
//   POST /api/v2/write?bucket=&org=&precision=   InfluxDB 2
//   GET  /ping, /health
//   GET, POST /query?q=                          CREATE DATABASE and the like, which do nothing
//
// Writes get 204, or 400 "partial write" if some lines were rejected and the others stored; other
// failures are as for remote write (api/ingest/write_handler.h). The body is JSON in the format of
// that version.
#pragma once

#include <cstdint>

#include "api/http/call.h"
#include "api/http/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

enum class InfluxVersion { k1, k2 };

// Safe from any thread. Responds from a thread of the store, or before it returns.
void HandleInfluxWrite(const Request& request, InfluxVersion version, Ingester& ingester,
                       int64_t now_ms, Respond respond);

Response HandleInfluxPing();
// Omits the version, because the request is not authenticated.
Response HandleInfluxHealth();
Response HandleInfluxQuery(const Call& call);

}  // namespace lockstep::api
