#include "api/query_log.h"

#include <utility>

#include "api/json_writer.h"
#include "api/query_stats_json.h"
#include "api/tenant_access.h"
#include "api/time_text.h"

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

// One line, without its end.
class EntryWriter {
 public:
  explicit EntryWriter(std::string& out) : json_(out) {}

  void Write(const LoggedQuery& query, const Request& request) {
    const std::string now = TimeText(query.now_ms);
    json_.BeginObject();
    Text("time", now);
    Text("ts", now);
    Text("level", "INFO");
    Text("msg", "promql query logged");
    json_.Key("params");
    WriteParams(query);
    if (query.status.ok()) {
      json_.Key("stats");
      WriteQueryStats(json_, query.stats, {}, query.queued_seconds);
    } else {
      Text("error", Message(query.status));
    }
    const std::string tenants = TenantsForLogs(request.header(kTenantHeader), request.grant);
    if (!tenants.empty()) Text("tenant", tenants);
    json_.Key("httpRequest");
    WriteRequest(request);
    json_.EndObject();
  }

 private:
  void WriteParams(const LoggedQuery& query) {
    json_.BeginObject();
    Text("end", TimeText(query.end_ms));
    Text("query", query.text);
    Text("start", TimeText(query.start_ms));
    json_.Key("step");
    json_.Number(query.step_ms / 1000);
    json_.EndObject();
  }

  void WriteRequest(const Request& request) {
    json_.BeginObject();
    Text("clientIP", HostOf(request.remote_address));
    Text("method", request.method);
    Text("path", request.path());
    json_.EndObject();
  }

  void Text(std::string_view key, std::string_view text) {
    json_.Key(key);
    json_.String(text);
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
