#include "cli/settings/serve_options.h"

#include <gtest/gtest.h>

#include <map>

namespace lockstep::cli {
namespace {

std::string ErrorOf(const std::vector<GivenValue>& given) {
  return std::string(Message(MakeServeOptions(given).status()));
}

TEST(ServeOptionsTest, EveryDefaultTextIsWhatTheOptionsHold) {
  const ServeOptions built_in;
  for (const Setting& setting : ServeSettings()) {
    ServeOptions options;
    if (setting.default_text.empty()) continue;
    ASSERT_TRUE(setting.apply(setting.default_text, options).ok()) << setting.name;
    EXPECT_EQ(options.host, built_in.host) << setting.name;
    EXPECT_EQ(options.port, built_in.port) << setting.name;
    EXPECT_EQ(options.data_folder, built_in.data_folder) << setting.name;
    EXPECT_EQ(options.cors_origin, built_in.cors_origin) << setting.name;
    EXPECT_EQ(options.enable_admin_api, built_in.enable_admin_api) << setting.name;
    EXPECT_EQ(options.max_connections, built_in.max_connections) << setting.name;
    EXPECT_EQ(options.idle_timeout, built_in.idle_timeout) << setting.name;
    EXPECT_EQ(options.first_request_timeout, built_in.first_request_timeout) << setting.name;
    EXPECT_EQ(options.min_transfer_bytes_per_second, built_in.min_transfer_bytes_per_second)
        << setting.name;
    EXPECT_EQ(options.slow_transfer_timeout, built_in.slow_transfer_timeout) << setting.name;
    EXPECT_EQ(options.retention_ms, built_in.retention_ms) << setting.name;
    EXPECT_EQ(options.max_storage_bytes, built_in.max_storage_bytes) << setting.name;
    EXPECT_EQ(options.max_series, built_in.max_series) << setting.name;
    EXPECT_EQ(options.max_series_per_job, built_in.max_series_per_job) << setting.name;
    EXPECT_EQ(options.read_only, built_in.read_only) << setting.name;
    EXPECT_EQ(options.shard_count, built_in.shard_count) << setting.name;
    EXPECT_EQ(options.query_timeout_ms, built_in.query_timeout_ms) << setting.name;
    EXPECT_EQ(options.max_concurrent_queries, built_in.max_concurrent_queries) << setting.name;
    EXPECT_EQ(options.max_query_samples, built_in.max_query_samples) << setting.name;
    EXPECT_EQ(options.query_cache_bytes, built_in.query_cache_bytes) << setting.name;
    EXPECT_EQ(options.lookback_ms, built_in.lookback_ms) << setting.name;
    EXPECT_EQ(options.max_samples_per_second, built_in.max_samples_per_second) << setting.name;
    EXPECT_EQ(options.max_samples_per_second_per_job, built_in.max_samples_per_second_per_job)
        << setting.name;
    EXPECT_EQ(options.log_level, built_in.log_level) << setting.name;
    EXPECT_EQ(options.log_format, built_in.log_format) << setting.name;
  }
}

TEST(ServeOptionsTest, LaterValuesWin) {
  const absl::StatusOr<ServeOptions> options =
      MakeServeOptions({{"storage.retention.time", "1d", "a.yml line 1"},
                        {"query.max-samples", "7", "a.yml line 2"},
                        {"storage.retention.time", "2h", "flag --storage.retention.time"}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->retention_ms, 2 * 3600 * 1000);
  EXPECT_EQ(options->max_query_samples, 7);
  std::map<std::string, std::string> texts(options->texts.begin(), options->texts.end());
  EXPECT_EQ(texts["storage.retention.time"], "2h");
  EXPECT_EQ(texts["query.timeout"], "2m");
}

TEST(ServeOptionsTest, FeaturesThatAreNotThereAreKnown) {
  const auto absent = [](std::string_view names) {
    return MakeServeOptions({{"enable-feature", std::string(names), "flag --enable-feature"}})
        ->absent_features;
  };
  EXPECT_TRUE(absent("").empty());
  EXPECT_TRUE(absent("promql-experimental-functions,promql-delayed-name-removal").empty());
  EXPECT_EQ(absent("search-api,native-histograms,typo"),
            (std::vector<std::string>{"search-api", "typo"}));
}

TEST(ServeOptionsTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ErrorOf({{"storage.retentoin", "1d", "a.yml line 3"}}),
            "a.yml line 3: unknown key \"storage.retentoin\"");
  EXPECT_EQ(
      ErrorOf({{"query.timeout", "soon", "flag --query.timeout"}}),
      "flag --query.timeout: query.timeout: \"soon\" is not a duration like 30s, 5m, 12h or 15d");
  EXPECT_EQ(ErrorOf({{"storage.shards", "1.5", "x"}}),
            "x: storage.shards: \"1.5\" is not a whole number from 0 to 256");
  EXPECT_EQ(ErrorOf({{"storage.shards", "-1", "x"}}),
            "x: storage.shards: \"-1\" is not a whole number from 0 to 256");
  EXPECT_EQ(ErrorOf({{"log.level", "loud", "x"}}),
            "x: log.level: \"loud\" is not one of debug, info, warn, error");
  EXPECT_EQ(ErrorOf({{"web.enable-admin-api", "yes", "x"}}),
            "x: web.enable-admin-api: \"yes\" is neither true nor false");
  EXPECT_EQ(ErrorOf({{"training.kwh-price", "dear", "x"}}),
            "x: training.kwh-price: \"dear\" is not a price");
  EXPECT_EQ(ErrorOf({{"training.prices", "h200-sxm5-141gb:", "x"}}),
            "x: training.prices: \"h200-sxm5-141gb:\" is not a price, or a model and a price "
            "such as h200-sxm5-141gb:3.2");
  EXPECT_EQ(ErrorOf({{"http", "here", "x"}}),
            "x: http: \"here\" is not an address like 127.0.0.1:9009");
}

// The bounds of the numbers, and what lies just outside.
TEST(ServeOptionsTest, NumbersHaveBounds) {
  const struct {
    const char* name;
    std::vector<const char*> good;
    std::vector<const char*> bad;
  } rows[] = {
      {"web.max-connections", {"1", "1000000"}, {"0", "1000001", "", "7 "}},
      {"storage.max-series", {"0", "4000000000"}, {"4000000001"}},
      {"storage.shards", {"0", "256"}, {"257"}},
      {"ingest.max-samples-per-second", {"0", "1000000000"}, {"1000000001"}},
      {"ingest.max-samples-per-second-per-job", {"0", "1000000000"}, {"1000000001"}},
      {"ingest.max-series-per-job", {"0", "4000000000"}, {"4000000001"}},
      {"query.max-concurrency", {"0", "1024"}, {"1025", "-1"}},
      {"query.max-samples", {"1", "1099511627776"}, {"0", "1099511627777"}},
      {"memory-limit", {"0", "32MB", "32768KB"}, {"32767KB", "1KB", "much"}},
      {"storage.retention.time", {"1ms", "15d"}, {"0s", "-1d", "15"}},
      {"web.read-timeout", {"1ms"}, {"0s", "now"}},
      {"training.kwh-price", {"", "0", "0.31"}, {"-0.1", "0.3 EUR"}},
      {"data", {"x"}, {""}},
  };
  for (const auto& row : rows) {
    for (const char* text : row.good) EXPECT_EQ(ErrorOf({{row.name, text, "x"}}), "") << row.name;
    for (const char* text : row.bad) {
      EXPECT_NE(ErrorOf({{row.name, text, "x"}}), "") << row.name << "=" << text;
    }
  }
}

TEST(ServeOptionsTest, EverySettingEndsInItsOwnOption) {
  const absl::StatusOr<ServeOptions> options = MakeServeOptions({
      {"http", "[::1]:80", ""},
      {"otlp-grpc", ":4317", ""},
      {"data", "d", ""},
      {"memory-limit", "1GB", ""},
      {"web.config.file", "w.yml", ""},
      {"web.cors.origin", ".*", ""},
      {"web.allowed-hosts", "a.example,,b.example", ""},
      {"web.audit-log", "audit", ""},
      {"web.enable-admin-api", "true", ""},
      {"web.enable-lifecycle", "true", ""},
      {"web.external-url", "http://u", ""},
      {"web.max-connections", "5", ""},
      {"web.read-timeout", "6s", ""},
      {"web.first-request-timeout", "7s", ""},
      {"web.min-transfer-rate", "8KB", ""},
      {"web.slow-transfer-timeout", "9s", ""},
      {"storage.max-bytes", "1KB", ""},
      {"storage.backup.dir", "b", ""},
      {"storage.max-series", "10", ""},
      {"storage.read-only", "true", ""},
      {"storage.shards", "11", ""},
      {"ingest.max-samples-per-second", "12", ""},
      {"ingest.max-samples-per-second-per-job", "13", ""},
      {"ingest.max-series-per-job", "14", ""},
      {"query.timeout", "15s", ""},
      {"query.max-concurrency", "16", ""},
      {"query.max-length", "17KB", ""},
      {"query.cache-bytes", "18MB", ""},
      {"query.lookback-delta", "19s", ""},
      {"query.metricsql", "false", ""},
      {"query.log-file", "q", ""},
      {"training.prices", "h200-sxm5-141gb:3.2", ""},
      {"training.kwh-price", "0.25", ""},
      {"training.currency", "EUR", ""},
      {"rules.alert.resend-delay", "20s", ""},
      {"rules.alert.for-outage-tolerance", "21s", ""},
      {"rules.alert.for-grace-period", "22s", ""},
      {"log.level", "warn", ""},
      {"log.format", "json", ""},
  });
  ASSERT_TRUE(options.ok()) << options.status();
  using std::chrono::seconds;
  EXPECT_EQ(options->host, "::1");
  EXPECT_EQ(options->port, 80);
  ASSERT_TRUE(options->otlp_grpc.has_value());
  EXPECT_EQ(options->otlp_grpc->host, "0.0.0.0");
  EXPECT_EQ(options->otlp_grpc->port, 4317);
  EXPECT_EQ(options->data_folder, "d");
  EXPECT_EQ(options->memory_limit_bytes, uint64_t{1} << 30);
  EXPECT_EQ(options->web_config_file, "w.yml");
  EXPECT_EQ(options->cors_origin, ".*");
  EXPECT_EQ(options->allowed_hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(options->audit_log_file, "audit");
  EXPECT_TRUE(options->enable_admin_api);
  EXPECT_TRUE(options->enable_lifecycle);
  EXPECT_EQ(options->external_url, "http://u");
  EXPECT_EQ(options->max_connections, 5u);
  EXPECT_EQ(options->idle_timeout, seconds(6));
  EXPECT_EQ(options->first_request_timeout, seconds(7));
  EXPECT_EQ(options->min_transfer_bytes_per_second, 8u << 10);
  EXPECT_EQ(options->slow_transfer_timeout, seconds(9));
  EXPECT_EQ(options->max_storage_bytes, 1024u);
  EXPECT_EQ(options->backup_folder, "b");
  EXPECT_EQ(options->max_series, 10u);
  EXPECT_TRUE(options->read_only);
  EXPECT_EQ(options->shard_count, 11u);
  EXPECT_EQ(options->max_samples_per_second, 12u);
  EXPECT_EQ(options->max_samples_per_second_per_job, 13u);
  EXPECT_EQ(options->max_series_per_job, 14u);
  EXPECT_EQ(options->query_timeout_ms, 15'000);
  EXPECT_EQ(options->max_concurrent_queries, 16);
  EXPECT_EQ(options->max_query_bytes, 17u << 10);
  EXPECT_EQ(options->query_cache_bytes, 18u << 20);
  EXPECT_EQ(options->lookback_ms, 19'000);
  EXPECT_EQ(DialectOf(*options), promql::Dialect::kPromql);
  EXPECT_EQ(options->query_log_file, "q");
  EXPECT_EQ(options->prices.per_kwh, 0.25);
  EXPECT_EQ(options->prices.currency, "EUR");
  EXPECT_EQ(options->alert_resend_delay_ms, 20'000);
  EXPECT_EQ(options->alert_outage_tolerance_ms, 21'000);
  EXPECT_EQ(options->alert_grace_period_ms, 22'000);
  EXPECT_EQ(options->log_level, LogLevel::kWarn);
  EXPECT_EQ(options->log_format, LogFormat::kJson);
}

TEST(ServeOptionsTest, ListsInOneSettingReplaceEarlierOnes) {
  const absl::StatusOr<ServeOptions> options =
      MakeServeOptions({{"web.allowed-hosts", "a,b", "x"},
                        {"web.allowed-hosts", "c", "x"},
                        {"enable-feature", "typo,another", "x"},
                        {"enable-feature", ",third,", "x"},
                        {"otlp-grpc", ":1", "x"},
                        {"otlp-grpc", "", "x"}});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->allowed_hosts, std::vector<std::string>{"c"});
  EXPECT_EQ(options->absent_features, std::vector<std::string>{"third"});
  EXPECT_FALSE(options->otlp_grpc.has_value());
}

TEST(ServeOptionsTest, SuggestsTheSettingThatWasMeant) {
  EXPECT_EQ(ErrorOf({{"storage.shard", "1", "x"}}),
            "x: unknown key \"storage.shard\"; did you mean storage.shards?");
  EXPECT_EQ(ErrorOf({{"memory-limit", "1MB", "x"}}),
            "x: memory-limit: \"1MB\" is below the minimum of 32MB");
}

}  // namespace
}  // namespace lockstep::cli
