// ServeOptions: all settings of `lockstep serve`, by flag or in the --config file.
//
// There is one table of settings. A setting's name is its flag without the dashes; in the YAML file
// the dots become nesting:
//
//   --storage.retention.time=15d        storage: {retention: {time: 15d}}
//
// Only in the file: the lists storage.retention.rules and tenants.limits
// (cli/settings/list_settings.h), and the section otlp (cli/settings/otlp_settings.h).
//
// Flags override the file, and the file overrides the defaults. Names match Prometheus' where it
// has the setting.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/prices.h"
#include "base/log.h"
#include "base/status.h"
#include "cli/settings/host_port.h"
#include "ingest/otlp/names/translation.h"
#include "query/promql/parser/parser.h"
#include "storage/db/retention/retention_rules.h"
#include "tenants/tenant_limits.h"

namespace lockstep::cli {

// A value and its origin.
struct GivenValue {
  std::string name;
  std::string text;
  std::string origin;  // "flag --query.timeout", "lockstep.yml line 7"
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 9009;
  std::string data_folder = "data";
  std::string web_config_file;
  std::string cors_origin;
  std::vector<std::string> allowed_hosts;  // "*": any
  std::string audit_log_file;              // "": none
  std::string backup_folder;               // "": "backups" in the data folder
  bool enable_admin_api = false;
  uint64_t memory_limit_bytes = 0;  // 0: depends on the memory of the machine or control group
  size_t max_connections = 4096;
  std::chrono::milliseconds idle_timeout{300'000};
  std::chrono::milliseconds first_request_timeout{10'000};
  uint64_t min_transfer_bytes_per_second = 4 << 10;
  std::chrono::milliseconds slow_transfer_timeout{10'000};
  int64_t retention_ms = int64_t{15} * 24 * 3600 * 1000;
  std::vector<RetentionRule> retention_rules;
  std::vector<tenants::TenantLimits> tenant_limits;
  uint64_t max_storage_bytes = 0;  // 0: no limit
  uint64_t max_series = 0;         // 0: no limit
  uint64_t max_series_per_job = 0;
  bool read_only = false;
  uint32_t shard_count = 0;  // 0: depends on the number of cores
  int64_t query_timeout_ms = 120'000;
  int max_concurrent_queries = 0;  // 0: depends on the number of cores
  int64_t max_query_samples = 50'000'000;
  uint64_t max_query_bytes = 16 << 10;
  uint64_t query_cache_bytes = uint64_t{64} << 20;
  int64_t lookback_ms = 300'000;
  bool metricsql = true;
  std::string query_log_file;           // "": none
  uint64_t max_samples_per_second = 0;  // 0: no limit
  uint64_t max_samples_per_second_per_job = 0;
  bool enable_lifecycle = false;
  std::string external_url;  // "": host name and port
  int64_t alert_resend_delay_ms = 60'000;
  int64_t alert_outage_tolerance_ms = 3'600'000;
  int64_t alert_grace_period_ms = 600'000;
  // The requested features that do not exist.
  std::vector<std::string> absent_features;
  otlp::Translation otlp;
  answers::Prices prices;
  std::optional<HostPort> otlp_grpc;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kLogfmt;

  std::string config_file;        // the file with the scrape jobs; "": none
  std::vector<GivenValue> flags;  // override the file again on reload

  // The effective values of all settings as text, by name; filled by MakeServeOptions.
  std::vector<std::pair<std::string, std::string>> texts;
};

// The query language.
inline promql::Dialect DialectOf(const ServeOptions& options) {
  return options.metricsql ? promql::Dialect::kMetricsql : promql::Dialect::kPromql;
}

// A setting of this kind may be given as a flag without a value, which means "true".
inline constexpr std::string_view kSwitch = "true|false";

struct Setting {
  std::string_view name;
  std::string_view default_text;
  std::string_view value_kind;  // for help: "DURATION"
  std::string_view help;
  std::function<absl::Status(std::string_view text, ServeOptions& options)> apply;
};

// In the order of the help text.
const std::vector<Setting>& ServeSettings();

// Later values in `given` override earlier ones. Fails on an unknown name or an invalid value; the
// message begins with the value's origin.
absl::StatusOr<ServeOptions> MakeServeOptions(const std::vector<GivenValue>& given);

}  // namespace lockstep::cli
