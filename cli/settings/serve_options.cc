#include "cli/settings/serve_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/text/byte_size.h"
#include "cli/help/did_you_mean.h"
#include "cli/settings/host_port.h"
#include "cli/settings/list_settings.h"
#include "cli/settings/otlp_settings.h"
#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

// The names of Prometheus' feature flags for what is part of lockstep and always on, so that its
// command lines work here: the language, then ingestion and storage, then features that Prometheus
// now enables by default.
constexpr std::array<std::string_view, 13> kBuiltInFeatures = {
    "promql-experimental-functions",
    "promql-duration-expr",
    "promql-extended-range-selectors",
    "promql-binop-fill-modifiers",
    "promql-delayed-name-removal",
    "promql-per-step-stats",
    "use-start-timestamps",
    "native-histograms",
    "exemplar-storage",
    "otlp-write-receiver",
    "remote-write-receiver",
    "promql-at-modifier",
    "promql-negative-offset",
};

bool IsBuiltInFeature(std::string_view name) {
  return std::ranges::find(kBuiltInFeatures, name) != kBuiltInFeatures.end();
}

using Apply = std::function<absl::Status(std::string_view, ServeOptions&)>;

template <typename Number>
struct Range {
  Number min;
  Number max;
};

template <typename Number>
Apply NumberInto(Number ServeOptions::*field, Range<Number> range) {
  return [=](std::string_view text, ServeOptions& options) -> absl::Status {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || number < range.min || number > range.max) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "\"%s\" is not a whole number from %d to %d", text, range.min, range.max));
    }
    options.*field = number;
    return absl::OkStatus();
  };
}

absl::StatusOr<int64_t> PositiveDurationMs(std::string_view text) {
  absl::StatusOr<int64_t> duration_ms = promql::ParseDurationMs(text);
  if (!duration_ms.ok() || *duration_ms <= 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is not a duration like 30s, 5m, 12h or 15d", text));
  }
  return duration_ms;
}

Apply DurationInto(int64_t ServeOptions::*field_ms) {
  return [=](std::string_view text, ServeOptions& options) -> absl::Status {
    LOCKSTEP_ASSIGN_OR_RETURN(options.*field_ms, PositiveDurationMs(text));
    return absl::OkStatus();
  };
}

Apply SizeInto(uint64_t ServeOptions::*field_bytes) {
  return [=](std::string_view text, ServeOptions& options) -> absl::Status {
    LOCKSTEP_ASSIGN_OR_RETURN(options.*field_bytes, ParseByteSize(text));
    return absl::OkStatus();
  };
}

Apply SwitchInto(bool ServeOptions::*field) {
  return [=](std::string_view text, ServeOptions& options) -> absl::Status {
    if (text != "true" && text != "false") {
      return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is neither true nor false", text));
    }
    options.*field = text == "true";
    return absl::OkStatus();
  };
}

Apply TextInto(std::string ServeOptions::*field) {
  return [=](std::string_view text, ServeOptions& options) {
    options.*field = std::string(text);
    return absl::OkStatus();
  };
}

template <typename Value>
Apply ChoiceInto(Value ServeOptions::*field,
                 std::vector<std::pair<std::string_view, Value>> choices) {
  return [=](std::string_view text, ServeOptions& options) -> absl::Status {
    std::string known;
    for (const auto& [name, value] : choices) {
      if (name == text) {
        options.*field = value;
        return absl::OkStatus();
      }
      absl::StrAppendFormat(&known, "%s%s", known.empty() ? "" : ", ", name);
    }
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not one of %s", text, known));
  };
}

absl::Status ApplyHttp(std::string_view text, ServeOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(HostPort address, ParseHostPort(text));
  options.host = std::move(address.host);
  options.port = address.port;
  return absl::OkStatus();
}

absl::Status ApplyOtlpGrpc(std::string_view text, ServeOptions& options) {
  options.otlp_grpc.reset();
  if (text.empty()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(options.otlp_grpc, ParseHostPort(text));
  return absl::OkStatus();
}

absl::Status ApplyData(std::string_view text, ServeOptions& options) {
  if (text.empty()) return absl::InvalidArgumentError("the data folder's name is empty");
  options.data_folder = std::string(text);
  return absl::OkStatus();
}

absl::Status ApplyMemoryLimit(std::string_view text, ServeOptions& options) {
  constexpr uint64_t kLeastBytes = 32 << 20;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t bytes, ParseByteSize(text));
  if (bytes != 0 && bytes < kLeastBytes) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is below the minimum of 32MB", text));
  }
  options.memory_limit_bytes = bytes;
  return absl::OkStatus();
}

auto TimeoutInto(std::chrono::milliseconds ServeOptions::*field) {
  return [field](std::string_view text, ServeOptions& options) -> absl::Status {
    LOCKSTEP_ASSIGN_OR_RETURN(const int64_t timeout_ms, PositiveDurationMs(text));
    options.*field = std::chrono::milliseconds(timeout_ms);
    return absl::OkStatus();
  };
}

absl::Status ApplyFeatures(std::string_view text, ServeOptions& options) {
  options.absent_features.clear();
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (!name.empty() && !IsBuiltInFeature(name)) options.absent_features.emplace_back(name);
  }
  return absl::OkStatus();
}

absl::Status ApplyAllowedHosts(std::string_view text, ServeOptions& options) {
  options.allowed_hosts.clear();
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (!name.empty()) options.allowed_hosts.emplace_back(name);
  }
  return absl::OkStatus();
}

absl::Status ApplyGpuPrices(std::string_view text, ServeOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(options.prices.per_gpu_hour, answers::ParseGpuPrices(text));
  return absl::OkStatus();
}

absl::Status ApplyKwhPrice(std::string_view text, ServeOptions& options) {
  if (text.empty()) return absl::OkStatus();
  double& price = options.prices.per_kwh;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price);
  if (error == std::errc() && end == text.data() + text.size() && price >= 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a price", text));
}

absl::Status ApplyCurrency(std::string_view text, ServeOptions& options) {
  options.prices.currency = std::string(text);
  return absl::OkStatus();
}

std::vector<Setting> MakeSettings() {
  constexpr int64_t kMaxSamples = int64_t{1} << 40;
  const std::vector<std::pair<std::string_view, LogLevel>> levels = {{"debug", LogLevel::kDebug},
                                                                     {"info", LogLevel::kInfo},
                                                                     {"warn", LogLevel::kWarn},
                                                                     {"error", LogLevel::kError}};
  const std::vector<std::pair<std::string_view, LogFormat>> formats = {
      {"logfmt", LogFormat::kLogfmt}, {"json", LogFormat::kJson}};
  return {
      {"http", "127.0.0.1:9009", "HOST:PORT", "Address to listen on; port 0 takes any free port.",
       ApplyHttp},
      {"otlp-grpc", "", "HOST:PORT",
       "Address to listen on for OpenTelemetry metrics over gRPC, usually with port 4317. Off by "
       "default.",
       ApplyOtlpGrpc},
      {"data", "data", "DIR", "Folder of the store; created if missing.", ApplyData},
      {"memory-limit", "0", "SIZE",
       "Memory limit for requests, queries and caches together; requests beyond it are rejected. 0 "
       "is 60 % of the memory of the machine or container.",
       ApplyMemoryLimit},
      {"web.config.file", "", "FILE", "TLS, users and tokens, in Prometheus' format.",
       TextInto(&ServeOptions::web_config_file)},
      {"web.cors.origin", "", "REGEX",
       "Origins of other sites whose pages may call the API; .* allows all of them to read.",
       TextInto(&ServeOptions::cors_origin)},
      {"web.allowed-hosts", "", "NAME,...",
       "Host names that requests may use, besides IP addresses, localhost and the host of "
       "web.external-url. By default any, unless the server listens on the loopback address. * "
       "allows any.",
       ApplyAllowedHosts},
      {"web.audit-log", "", "FILE",
       "File for a log of requests that may change something and of rejected requests, as JSON "
       "lines.",
       TextInto(&ServeOptions::audit_log_file)},
      {"web.enable-admin-api", "false", kSwitch, "Enable the API for backups and deletion.",
       SwitchInto(&ServeOptions::enable_admin_api)},
      {"web.enable-lifecycle", "false", kSwitch, "Enable reloading the configuration by request.",
       SwitchInto(&ServeOptions::enable_lifecycle)},
      {"web.external-url", "", "URL",
       "URL of this server for links in alerts. Host name and port by default.",
       TextInto(&ServeOptions::external_url)},
      {"web.max-connections", "4096", "N",
       "Maximum number of open connections, shared fairly among addresses; at most a quarter of "
       "the file handles.",
       NumberInto(&ServeOptions::max_connections, Range<size_t>{1, 1'000'000})},
      {"web.read-timeout", "5m", "DURATION", "How long an idle connection stays open.",
       TimeoutInto(&ServeOptions::idle_timeout)},
      {"web.first-request-timeout", "10s", "DURATION",
       "How long a connection stays open without a first accepted request.",
       TimeoutInto(&ServeOptions::first_request_timeout)},
      {"web.min-transfer-rate", "4KB", "SIZE",
       "Bytes per second that a client must send of a body, or read of a response.",
       SizeInto(&ServeOptions::min_transfer_bytes_per_second)},
      {"web.slow-transfer-timeout", "10s", "DURATION",
       "How long a client may be slower than web.min-transfer-rate.",
       TimeoutInto(&ServeOptions::slow_transfer_timeout)},
      {"storage.retention.time", "15d", "DURATION", "How long samples are kept.",
       DurationInto(&ServeOptions::retention_ms)},
      {"storage.max-bytes", "0", "SIZE",
       "Disk space for the store, not counting snapshots; above it the oldest four hours are "
       "dropped. 512MB, 50GB, 2TB; 0 is no limit.",
       SizeInto(&ServeOptions::max_storage_bytes)},
      {"storage.backup.dir", "", "DIR",
       "Folder for backups made by request. \"backups\" in the data folder by default.",
       TextInto(&ServeOptions::backup_folder)},
      {"storage.max-series", "0", "N",
       "Maximum number of series; samples of new series beyond it are rejected. 0 is no limit.",
       NumberInto(&ServeOptions::max_series, Range<uint64_t>{0, 4'000'000'000})},
      {"storage.read-only", "false", kSwitch,
       "Open an existing store without changing it, and reject writes.",
       SwitchInto(&ServeOptions::read_only)},
      {"storage.shards", "0", "N",
       "Number of shards of a new store; 0 depends on the number of cores.",
       NumberInto(&ServeOptions::shard_count, Range<uint32_t>{0, 256})},
      {"ingest.max-samples-per-second", "0", "N",
       "Maximum samples per second, shared fairly among clients; writes beyond it get HTTP 429. 0 "
       "is no limit.",
       NumberInto(&ServeOptions::max_samples_per_second, Range<uint64_t>{0, 1'000'000'000})},
      {"ingest.max-samples-per-second-per-job", "0", "N",
       "Maximum samples per second for each job; samples beyond it are rejected. 0 is no limit.",
       NumberInto(&ServeOptions::max_samples_per_second_per_job,
                  Range<uint64_t>{0, 1'000'000'000})},
      {"ingest.max-series-per-job", "0", "N",
       "Maximum number of series of each job; samples of new series beyond it are rejected. 0 is "
       "no limit.",
       NumberInto(&ServeOptions::max_series_per_job, Range<uint64_t>{0, 4'000'000'000})},
      {"query.timeout", "2m", "DURATION", "How long one query may take.",
       DurationInto(&ServeOptions::query_timeout_ms)},
      {"query.max-concurrency", "0", "N",
       "Maximum number of concurrent queries; 0 is four per core, at most 20.",
       NumberInto(&ServeOptions::max_concurrent_queries, Range<int>{0, 1024})},
      {"query.max-samples", "50000000", "N",
       "Maximum number of samples that one query may hold in memory.",
       NumberInto(&ServeOptions::max_query_samples, Range<int64_t>{1, kMaxSamples})},
      {"query.max-length", "16KB", "SIZE",
       "Maximum length of a query's text; longer queries get HTTP 422.",
       SizeInto(&ServeOptions::max_query_bytes)},
      {"query.cache-bytes", "64MB", "SIZE",
       "Memory for caching results of range queries. 0 turns the cache off.",
       SizeInto(&ServeOptions::query_cache_bytes)},
      {"query.lookback-delta", "5m", "DURATION",
       "How far back a query looks for the latest sample.",
       DurationInto(&ServeOptions::lookback_ms)},
      {"query.metricsql", "true", kSwitch,
       "Allow the supported MetricsQL functions in addition to PromQL.",
       SwitchInto(&ServeOptions::metricsql)},
      {"query.log-file", "", "FILE",
       "File for a log of all queries, as JSON lines in Prometheus' format.",
       TextInto(&ServeOptions::query_log_file)},
      {"training.prices", "", "PRICE,...",
       "Price of a GPU-hour: a number, or per model, such as "
       "h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1.",
       ApplyGpuPrices},
      {"training.kwh-price", "", "PRICE", "Price of a kWh.", ApplyKwhPrice},
      {"training.currency", "", "NAME", "Currency of both prices, shown in responses.",
       ApplyCurrency},
      {"rules.alert.resend-delay", "1m", "DURATION", "How often to resend an alert to receivers.",
       DurationInto(&ServeOptions::alert_resend_delay_ms)},
      {"rules.alert.for-outage-tolerance", "1h", "DURATION",
       "Longest outage after which the \"for\" state of alerts is restored.",
       DurationInto(&ServeOptions::alert_outage_tolerance_ms)},
      {"rules.alert.for-grace-period", "10m", "DURATION",
       "Minimum time between a restart and a restored alert firing; alerts with a shorter \"for\" "
       "are not restored.",
       DurationInto(&ServeOptions::alert_grace_period_ms)},
      {"enable-feature", "", "NAME,...",
       "Prometheus' feature flags, for compatibility. Its whole query language is always on; "
       "unknown names cause a warning.",
       ApplyFeatures},
      {"log.level", "info", "LEVEL", "debug, info, warn or error.",
       ChoiceInto(&ServeOptions::log_level, levels)},
      {"log.format", "logfmt", "FORMAT", "logfmt or json.",
       ChoiceInto(&ServeOptions::log_format, formats)},
  };
}

std::string SettingMeant(std::string_view name) {
  std::vector<std::string> names;
  for (const Setting& setting : ServeSettings()) names.emplace_back(setting.name);
  return DidYouMean(name, names);
}

}  // namespace

const std::vector<Setting>& ServeSettings() {
  static const auto& settings = *new std::vector<Setting>(MakeSettings());
  return settings;
}

absl::StatusOr<ServeOptions> MakeServeOptions(const std::vector<GivenValue>& given) {
  const std::vector<Setting>& settings = ServeSettings();
  ServeOptions options;
  for (const Setting& setting : settings) {
    options.texts.emplace_back(setting.name, setting.default_text);
  }
  RetentionSettings rules;
  TenantSettings tenants;
  OtlpSettings otlp;
  for (const GivenValue& value : given) {
    if (RetentionSettings::IsOne(value)) {
      LOCKSTEP_RETURN_IF_ERROR(rules.Add(value));
      continue;
    }
    if (TenantSettings::IsOne(value)) {
      LOCKSTEP_RETURN_IF_ERROR(tenants.Add(value));
      continue;
    }
    if (OtlpSettings::IsOne(value)) {
      LOCKSTEP_RETURN_IF_ERROR(otlp.Add(value));
      continue;
    }
    const auto setting = std::find_if(settings.begin(), settings.end(), [&](const Setting& known) {
      return known.name == value.name;
    });
    if (setting == settings.end()) {
      return absl::InvalidArgumentError(absl::StrFormat("%s: unknown key \"%s\"%s", value.origin,
                                                        value.name, SettingMeant(value.name)));
    }
    LOCKSTEP_RETURN_IF_ERROR(Annotate(setting->apply(value.text, options),
                                      absl::StrFormat("%s: %s", value.origin, value.name)));
    options.texts[setting - settings.begin()].second = value.text;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(options.retention_rules, rules.Finish(options.retention_ms));
  options.tenant_limits = tenants.Finish();
  LOCKSTEP_ASSIGN_OR_RETURN(options.otlp, otlp.Finish());
  for (const GivenValue& value : given) {
    const bool is_of_file_alone = RetentionSettings::IsOne(value) || TenantSettings::IsOne(value) ||
                                  OtlpSettings::IsOne(value);
    if (is_of_file_alone) options.texts.emplace_back(value.name, value.text);
  }
  return options;
}

}  // namespace lockstep::cli
