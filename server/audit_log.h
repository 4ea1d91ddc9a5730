// AuditLog: a file with one line of JSON for each request that may change something, and for each that was refused:
//
//   {"time":"2026-01-02T03:04:05.678Z","who":"alice","from":"10.0.0.1:4242","method":"POST",
//    "route":"/api/v1/admin/tsdb/delete_series","tenant":"team-a","status":204}
//
// "tenant" is absent for the default tenant. "who" is "" for who was not let in; by gRPC "method" is "GRPC" and "status" what HTTP says for it.
#pragma once

#include <memory>
#include <string>

#include "api/line_file.h"
#include "base/status.h"

namespace lockstep::server {

struct AuditEntry {
  std::string who;
  std::string from;
  std::string method;
  std::string route;     // the path, without the query
  std::string tenant{};  // api::TenantsForLogs()
  int status = 0;
};

// Safe from any thread.
class AuditLog {
 public:
  // Makes the file if it is not there, readable by its owner alone.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(std::string path);

  void Add(const AuditEntry& entry);

 private:
  explicit AuditLog(std::unique_ptr<api::LineFile> file) : file_(std::move(file)) {}

  const std::unique_ptr<api::LineFile> file_;
};

}  // namespace lockstep::server
