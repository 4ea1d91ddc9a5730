#include "cli/serve_options.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_format.h"
#include "base/byte_size.h"
#include "cli/did_you_mean.h"
#include "cli/feature_names.h"
#include "cli/host_port.h"
#include "cli/otlp_settings.h"
#include "cli/retention_settings.h"
#include "cli/tenant_settings.h"
#include "query/promql/parser.h"

namespace lockstep::cli {
namespace {

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
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is none of %s", text, known));
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
  if (text.empty()) return absl::InvalidArgumentError("the data folder needs a name");
  options.data_folder = std::string(text);
  return absl::OkStatus();
}

absl::Status ApplyMemoryLimit(std::string_view text, ServeOptions& options) {
  constexpr uint64_t kLeastBytes = 32 << 20;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t bytes, ParseByteSize(text));
  if (bytes != 0 && bytes < kLeastBytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is less than the least that a server works with, 32MB", text));
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
  LOCKSTEP_ASSIGN_OR_RETURN(options.prices.per_gpu_hour, api::ParseGpuPrices(text));
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
       "Address to take OpenTelemetry metrics by gRPC on, 4317 by custom; none if it is not given.",
       ApplyOtlpGrpc},
      {"data", "data", "DIR", "Folder of the store; made if it is not there.", ApplyData},
      {"memory-limit", "0", "SIZE",
       "Memory that requests, queries and what is kept of them may take together; more is refused. "
       "0 "
       "is 60 % of what the machine or its container has.",
       ApplyMemoryLimit},
      {"web.config.file", "", "FILE", "TLS, users and tokens, in the format of Prometheus.",
       TextInto(&ServeOptions::web_config_file)},
      {"web.cors.origin", "", "REGEX",
       "Web pages of others that may read answers and send, by their origin; .* lets all read.",
       TextInto(&ServeOptions::cors_origin)},
      {"web.allowed-hosts", "", "NAME,...",
       "Names by which requests may call the server, beside IP addresses, localhost and that of "
       "web.external-url. Without it any, unless it listens on the loopback address. * is any.",
       ApplyAllowedHosts},
      {"web.audit-log", "", "FILE",
       "Where each request that may change something, and each that was refused, is logged, a line "
       "of JSON each.",
       TextInto(&ServeOptions::audit_log_file)},
      {"web.enable-admin-api", "false", kSwitch,
       "Whether requests may back up the store and delete from it.",
       SwitchInto(&ServeOptions::enable_admin_api)},
      {"web.enable-lifecycle", "false", kSwitch,
       "Whether a request may have the configuration read again.",
       SwitchInto(&ServeOptions::enable_lifecycle)},
      {"web.external-url", "", "URL",
       "Where people reach this server, for links in alerts; by host name and port if not given.",
       TextInto(&ServeOptions::external_url)},
      {"web.max-connections", "4096", "N",
       "Connections that may be open at once, shared fairly by addresses; at most a quarter of the "
       "file handles.",
       NumberInto(&ServeOptions::max_connections, Range<size_t>{1, 1'000'000})},
      {"web.read-timeout", "5m", "DURATION", "How long an idle connection stays open.",
       TimeoutInto(&ServeOptions::idle_timeout)},
      {"web.first-request-timeout", "10s", "DURATION",
       "How long a connection stays open before its first request that is let in.",
       TimeoutInto(&ServeOptions::first_request_timeout)},
      {"web.min-transfer-rate", "4KB", "SIZE",
       "Bytes that a client has to send of a body, or take of an answer, each second.",
       SizeInto(&ServeOptions::min_transfer_bytes_per_second)},
      {"web.slow-transfer-timeout", "10s", "DURATION",
       "How long a client may be slower than web.min-transfer-rate.",
       TimeoutInto(&ServeOptions::slow_transfer_timeout)},
      {"storage.retention.time", "15d", "DURATION", "How long samples are kept.",
       DurationInto(&ServeOptions::retention_ms)},
      {"storage.max-bytes", "0", "SIZE",
       "Disk that the store may take, snapshots not counted: above it the oldest four hours are "
       "dropped. 512MB, 50GB, 2TB; 0 is no limit.",
       SizeInto(&ServeOptions::max_storage_bytes)},
      {"storage.backup.dir", "", "DIR",
       "Folder below which requests may have backups written; \"backups\" in the data folder if it "
       "is not given.",
       TextInto(&ServeOptions::backup_folder)},
      {"storage.max-series", "0", "N",
       "Series that the store may know; samples of new ones beyond it are rejected. 0 is no limit.",
       NumberInto(&ServeOptions::max_series, Range<uint64_t>{0, 4'000'000'000})},
      {"storage.read-only", "false", kSwitch,
       "Whether to open a store that is there, change nothing, and refuse writes.",
       SwitchInto(&ServeOptions::read_only)},
      {"storage.shards", "0", "N", "Shards of a new store; 0 decides by the number of cores.",
       NumberInto(&ServeOptions::shard_count, Range<uint32_t>{0, 256})},
      {"ingest.max-samples-per-second", "0", "N",
       "Samples that writes may bring each second, shared fairly by clients; more is answered 429. "
       "0 is no limit.",
       NumberInto(&ServeOptions::max_samples_per_second, Range<uint64_t>{0, 1'000'000'000})},
      {"ingest.max-samples-per-second-per-job", "0", "N",
       "Samples that writes may bring each second of each job; more of one is refused. 0 is no "
       "limit.",
       NumberInto(&ServeOptions::max_samples_per_second_per_job,
                  Range<uint64_t>{0, 1'000'000'000})},
      {"ingest.max-series-per-job", "0", "N",
       "Series that the store may know of each job; samples of new ones beyond it are rejected. 0 "
       "is no limit.",
       NumberInto(&ServeOptions::max_series_per_job, Range<uint64_t>{0, 4'000'000'000})},
      {"query.timeout", "2m", "DURATION", "How long one query may take.",
       DurationInto(&ServeOptions::query_timeout_ms)},
      {"query.max-concurrency", "0", "N",
       "Queries evaluated or answered at once; 0 is four for each core, at most 20.",
       NumberInto(&ServeOptions::max_concurrent_queries, Range<int>{0, 1024})},
      {"query.max-samples", "50000000", "N", "Samples that one query may hold in memory.",
       NumberInto(&ServeOptions::max_query_samples, Range<int64_t>{1, kMaxSamples})},
      {"query.max-length", "16KB", "SIZE", "Text that one query may have; more is answered 422.",
       SizeInto(&ServeOptions::max_query_bytes)},
      {"query.cache-bytes", "64MB", "SIZE",
       "Memory for answers of range queries, which are used again where nothing has changed. 0 "
       "keeps none.",
       SizeInto(&ServeOptions::query_cache_bytes)},
      {"query.lookback-delta", "5m", "DURATION", "How far back a query looks for a last sample.",
       DurationInto(&ServeOptions::lookback_ms)},
      {"query.metricsql", "true", kSwitch,
       "Whether queries may call the functions of MetricsQL that are known besides PromQL's.",
       SwitchInto(&ServeOptions::metricsql)},
      {"query.log-file", "", "FILE",
       "Where every query is logged, a line of JSON each, as Prometheus does.",
       TextInto(&ServeOptions::query_log_file)},
      {"training.prices", "", "PRICE,...",
       "What a GPU-hour costs: a number, or by model as h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1.",
       ApplyGpuPrices},
      {"training.kwh-price", "", "PRICE", "What a kWh costs.", ApplyKwhPrice},
      {"training.currency", "", "NAME", "Of both prices, as answers say it.", ApplyCurrency},
      {"rules.alert.resend-delay", "1m", "DURATION", "How often receivers hear of one alert.",
       DurationInto(&ServeOptions::alert_resend_delay_ms)},
      {"rules.alert.for-outage-tolerance", "1h", "DURATION",
       "How long the server may be away for alerts to go on where they were.",
       DurationInto(&ServeOptions::alert_outage_tolerance_ms)},
      {"rules.alert.for-grace-period", "10m", "DURATION",
       "Alerts with a shorter \"for\" are not restored; others fire no sooner than this after a "
       "start.",
       DurationInto(&ServeOptions::alert_grace_period_ms)},
      {"enable-feature", "", "NAME,...",
       "Prometheus' feature flags. All of its language is on without them; a name of something "
       "that is not there is warned of.",
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
