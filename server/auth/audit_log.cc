#include "server/auth/audit_log.h"

#include <utility>

#include "api/http/json_writer.h"
#include "base/clock.h"
#include "base/utc_text.h"

namespace lockstep::server {
namespace {

constexpr mode_t kOwnerAlone = 0600;

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(std::string path) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, LineFile::Open(std::move(path), "audit log", kOwnerAlone));
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(file)));
}

void AuditLog::Add(const AuditEntry& entry) {
  std::string line;
  api::JsonWriter json(line);
  json.BeginObject();
  json.Field("time", Rfc3339Text(SystemTimeMs()));
  json.Field("who", entry.who);
  json.Field("from", entry.from);
  json.Field("method", entry.method);
  json.Field("route", entry.route);
  if (!entry.tenant.empty()) json.Field("tenant", entry.tenant);
  json.Field("status", entry.status);
  json.EndObject();
  line += '\n';
  file_->Add(line);
}

}  // namespace lockstep::server
