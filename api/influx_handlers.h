// What senders of InfluxDB 1 and 2 ask: writes in line protocol, and whether there is a server.
//
//   POST /write?db=&rp=&precision=               InfluxDB 1
//   POST /api/v2/write?bucket=&org=&precision=   InfluxDB 2
//   GET  /ping, /health
//   GET, POST /query?q=                          CREATE DATABASE and the like, which do nothing
//
// Writes are answered 204; 400 "partial write" when some lines were not taken and the others are
// stored; other failures as those of remote write (api/write_handler.h). The body is JSON, in the
// form of the version.
#pragma once

#include <cstdint>

#include "api/call.h"
#include "api/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

enum class InfluxVersion { k1, k2 };

// Safe from any thread. Answers from a thread of the store, or before it returns.
void HandleInfluxWrite(const Request& request, InfluxVersion version, Ingester& ingester,
                       int64_t now_ms, Respond respond);

Response HandleInfluxPing();
// Without a version: whoever asks has shown no credential.
Response HandleInfluxHealth();
Response HandleInfluxQuery(const Call& call);

}  // namespace lockstep::api
