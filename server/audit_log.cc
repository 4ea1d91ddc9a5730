#include "server/audit_log.h"

#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/json_writer.h"
#include "api/time_text.h"

namespace lockstep::server {
namespace {

constexpr mode_t kOwnerAlone = 0600;

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(std::string path) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto file,
                            api::LineFile::Open(std::move(path), "audit log", kOwnerAlone));
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(file)));
}

void AuditLog::Add(const AuditEntry& entry) {
  std::string line;
  api::JsonWriter json(line);
  const auto text = [&json](std::string_view key, std::string_view value) {
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  text("time", api::TimeText(absl::ToUnixMillis(absl::Now())));
  text("who", entry.who);
  text("from", entry.from);
  text("method", entry.method);
  text("route", entry.route);
  if (!entry.tenant.empty()) text("tenant", entry.tenant);
  json.Key("status");
  json.Number(entry.status);
  json.EndObject();
  line += '\n';
  file_->Add(line);
}

}  // namespace lockstep::server
