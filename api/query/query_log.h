// QueryLog: a file with one line of JSON per executed query, in the format of Prometheus' query
// log:
//
//   {"time":"2026-01-02T03:04:05.678Z","ts":"2026-01-02T03:04:05.678Z","level":"INFO",
//    "msg":"promql query logged","params":{"end":"..","query":"up","start":"..","step":15},
//    "error":"..","stats":{..},"tenant":"team-a",
//    "httpRequest":{"clientIP":"..","method":"GET","path":"/api/v1/query"}}
//
// "time" is the name in Prometheus 3, "ts" in Prometheus 2; "error" and "stats" exclude each other.
// Steps are in whole seconds, 0 for an instant query. "tenant" is absent for the default tenant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/call.h"
#include "base/line_file.h"
#include "base/status.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

struct LoggedQuery {
  std::string_view text;
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;
  int64_t now_ms = 0;
  double queued_seconds = 0;
  absl::Status status;
  engine::QueryStats stats;  // if the status is OK
};

// Safe from any thread. The file may be rotated: see base/line_file.h.
class QueryLog {
 public:
  // Creates the file if it does not exist, readable by its owner and group.
  static absl::StatusOr<std::unique_ptr<QueryLog>> Open(std::string path);

  void Add(const LoggedQuery& query, const Request& request);

 private:
  explicit QueryLog(std::unique_ptr<LineFile> file) : file_(std::move(file)) {}

  const std::unique_ptr<LineFile> file_;
};

}  // namespace lockstep::api
