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

}  // namespace
}  // namespace lockstep::cli
