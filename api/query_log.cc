#include "api/query_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/json_writer.h"
#include "api/query_stats_json.h"
#include "api/time_text.h"
#include "base/log.h"

namespace lockstep::api {
namespace {

constexpr mode_t kFileMode = 0640;

absl::Status Failed(std::string_view what, const std::string& path) {
  return absl::UnavailableError(
      absl::StrFormat("cannot %s the query log %s: %s", what, path, std::strerror(errno)));
}

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
  std::unique_ptr<QueryLog> log(new QueryLog(std::move(path)));
  const MutexLock lock(log->mutex_);
  LOCKSTEP_RETURN_IF_ERROR(log->Reach());
  return log;
}

QueryLog::~QueryLog() {
  if (file_ >= 0) close(file_);
}

absl::Status QueryLog::Reach() {
  struct stat named {};
  struct stat open_one {};
  if (file_ >= 0) {
    const bool same = stat(path_.c_str(), &named) == 0 && fstat(file_, &open_one) == 0 &&
                      named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
    if (same) return absl::OkStatus();
    close(file_);
  }
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kFileMode);
  return file_ >= 0 ? absl::OkStatus() : Failed("open", path_);
}

absl::Status QueryLog::Append(std::string_view line) {
  LOCKSTEP_RETURN_IF_ERROR(Reach());
  const ssize_t written = write(file_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return absl::OkStatus();
  if (written >= 0) errno = ENOSPC;
  return Failed("write to", path_);
}

void QueryLog::Add(const LoggedQuery& query, const Request& request) {
  std::string line;
  EntryWriter(line).Write(query, request);
  line += '\n';
  const MutexLock lock(mutex_);
  const absl::Status status = Append(line);
  if (!status.ok() && !failing_) {
    Log(LogLevel::kWarn, "a query is not logged", {{"error", Message(status)}});
  }
  failing_ = !status.ok();
}

}  // namespace lockstep::api
