#include "api/query/query_log.h"

#include <utility>

#include "api/http/json_writer.h"
#include "api/http/tenant_access.h"
#include "api/query/query_stats_json.h"
#include "base/utc_text.h"

namespace lockstep::api {
namespace {

constexpr mode_t kFileMode = 0640;

// "10.0.0.1:4242" -> "10.0.0.1"; "[::1]:4242" -> "::1".
std::string_view HostOf(std::string_view address) {
  if (const size_t colon = address.rfind(':'); colon != std::string_view::npos) {
    address = address.substr(0, colon);
  }
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  return address;
}

// One line, without its newline.
class EntryWriter {
 public:
  explicit EntryWriter(std::string& out) : json_(out) {}

  void Write(const LoggedQuery& query, const Request& request) {
    const std::string now = Rfc3339Text(query.now_ms);
    json_.BeginObject();
    json_.Field("time", now);
    json_.Field("ts", now);
    json_.Field("level", "INFO");
    json_.Field("msg", "promql query logged");
    json_.Key("params");
    WriteParams(query);
    if (query.status.ok()) {
      json_.Key("stats");
      WriteQueryStats(json_, query.stats, {}, query.queued_seconds);
    } else {
      json_.Field("error", Message(query.status));
    }
    const std::string tenants = TenantsForLogs(request.header(kTenantHeader), request.grant);
    if (!tenants.empty()) json_.Field("tenant", tenants);
    json_.Key("httpRequest");
    WriteRequest(request);
    json_.EndObject();
  }

 private:
  void WriteParams(const LoggedQuery& query) {
    json_.BeginObject();
    json_.Field("end", Rfc3339Text(query.end_ms));
    json_.Field("query", query.text);
    json_.Field("start", Rfc3339Text(query.start_ms));
    json_.Field("step", query.step_ms / 1000);
    json_.EndObject();
  }

  void WriteRequest(const Request& request) {
    json_.BeginObject();
    json_.Field("clientIP", HostOf(request.remote_address));
    json_.Field("method", request.method);
    json_.Field("path", request.path());
    json_.EndObject();
  }

  JsonWriter json_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<QueryLog>> QueryLog::Open(std::string path) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, LineFile::Open(std::move(path), "query log", kFileMode));
  return std::unique_ptr<QueryLog>(new QueryLog(std::move(file)));
}

void QueryLog::Add(const LoggedQuery& query, const Request& request) {
  std::string line;
  EntryWriter(line).Write(query, request);
  line += '\n';
  file_->Add(line);
}

}  // namespace lockstep::api
