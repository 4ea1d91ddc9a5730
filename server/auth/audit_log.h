// AuditLog: a file with one line of JSON for each request that may change something, and for each
// rejected request:
//
//   {"time":"2026-01-02T03:04:05.678Z","who":"alice","from":"10.0.0.1:4242","method":"POST",
//    "route":"/api/v1/admin/tsdb/delete_series","tenant":"team-a","status":204}
//
// "tenant" is absent for the default tenant. "who" is "" if the sender was not authenticated; for
// gRPC, "method" is "GRPC" and "status" is the equivalent HTTP status.
#pragma once

#include <memory>
#include <string>

#include "base/line_file.h"
#include "base/status.h"

namespace lockstep::server {

struct AuditEntry {
  std::string who;
  std::string from;
  std::string method;
  std::string route;     // the path without the query
  std::string tenant{};  // api::TenantsForLogs()
  int status = 0;
};

// Safe from any thread.
class AuditLog {
 public:
  // Creates the file if it does not exist, readable only by its owner.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(std::string path);

  void Add(const AuditEntry& entry);

 private:
  explicit AuditLog(std::unique_ptr<LineFile> file) : file_(std::move(file)) {}

  const std::unique_ptr<LineFile> file_;
};

}  // namespace lockstep::server
