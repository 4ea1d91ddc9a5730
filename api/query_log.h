// QueryLog: a file with one line of JSON per query that ran, in the shape of Prometheus' query log:
//
//   {"time":"2026-01-02T03:04:05.678Z","ts":"2026-01-02T03:04:05.678Z","level":"INFO",
//    "msg":"promql query logged","params":{"end":"..","query":"up","start":"..","step":15},
//    "error":"..","stats":{..},"httpRequest":{"clientIP":"..","method":"GET","path":"/api/v1/query"}}
//
// "time" is what Prometheus 3 calls it and "ts" what 2 did; "error" and "stats" exclude each other. Steps are
// whole seconds, 0 for an instant query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/call.h"
#include "base/mutex.h"
#include "base/status.h"
#include "query/engine/value.h"

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

// Safe from any thread. Each line is appended by one write. When somebody moves the file away, the next
// line begins a new one under its name: it may be rotated with no word to the server.
class QueryLog {
 public:
  // Makes the file if it is not there, readable by its owner and group.
  static absl::StatusOr<std::unique_ptr<QueryLog>> Open(std::string path);
  ~QueryLog();
  QueryLog(const QueryLog&) = delete;
  QueryLog& operator=(const QueryLog&) = delete;

  // A line that cannot be written is dropped; the first of a row of them is told in the server's log.
  void Add(const LoggedQuery& query, const Request& request);

 private:
  explicit QueryLog(std::string path) : path_(std::move(path)) {}
  // Opens the file unless it is open under its name already.
  absl::Status Reach() LOCKSTEP_REQUIRES(mutex_);
  absl::Status Append(std::string_view line) LOCKSTEP_REQUIRES(mutex_);

  const std::string path_;
  Mutex mutex_;
  int file_ LOCKSTEP_GUARDED_BY(mutex_) = -1;
  bool failing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
};

}  // namespace lockstep::api
