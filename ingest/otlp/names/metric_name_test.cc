#include "ingest/otlp/names/metric_name.h"

#include <gtest/gtest.h>

namespace lockstep::otlp {
namespace {

constexpr auto kEscaped = NameTranslation::kUnderscoreEscapingWithSuffixes;
constexpr auto kEscapedBare = NameTranslation::kUnderscoreEscapingWithoutSuffixes;
constexpr auto kWithSuffixes = NameTranslation::kNoUtf8EscapingWithSuffixes;
constexpr auto kAsItIs = NameTranslation::kNoTranslation;

constexpr MetricHeader Gauge(std::string_view name, std::string_view unit = "") {
  return {name, unit, "", MetricKind::kGauge};
}
constexpr MetricHeader Counter(std::string_view name, std::string_view unit = "") {
  return {name, unit, "", MetricKind::kSum, Temporality::kCumulative, true};
}
constexpr MetricHeader UpDownCounter(std::string_view name, std::string_view unit = "") {
  return {name, unit, "", MetricKind::kSum, Temporality::kCumulative, false};
}
constexpr MetricHeader HistogramOf(std::string_view name, std::string_view unit = "") {
  return {name, unit, "", MetricKind::kHistogram};
}

// The rules in Prometheus' documentation: single underscores join the words; the unit comes last,
// then _total for counters or _ratio for gauges with unit "1", each only once.
TEST(MetricName, EveryTranslation) {
  struct Case {
    MetricHeader metric;
    std::string_view escaped, escaped_bare, with_suffixes;
  };
  const Case cases[] = {
      {Gauge("up"), "up", "up", "up"},
      {Gauge("cpu.usage", "1"), "cpu_usage_ratio", "cpu_usage", "cpu.usage_ratio"},
      {Gauge("cpu.ratio", "1"), "cpu_ratio", "cpu_ratio", "cpu_ratio"},
      {Gauge("ratio.of.cpu", "1"), "of_cpu_ratio", "ratio_of_cpu", "ratio.of.cpu_ratio"},
      {Gauge("memory.usage", "By"), "memory_usage_bytes", "memory_usage", "memory.usage_bytes"},
      {Gauge("link.speed", "By/s"), "link_speed_bytes_per_second", "link_speed",
       "link.speed_bytes_per_second"},
      {Gauge("bytes.in", "By"), "bytes_in", "bytes_in", "bytes.in_bytes"},
      {Gauge("a_per_second", "By/s"), "a_per_second_bytes_per_second", "a_per_second",
       "a_bytes_per_second"},
      {Counter("requests"), "requests_total", "requests", "requests_total"},
      {Counter("requests", "1"), "requests_total", "requests", "requests_total"},
      {Counter("requests.total"), "requests_total", "requests_total", "requests_total"},
      {Counter("total.requests"), "requests_total", "total_requests", "total.requests_total"},
      {Counter("requests", "{request}"), "requests_total", "requests", "requests_total"},
      {Counter("requests", "1/s"), "requests_per_second_total", "requests",
       "requests_per_second_total"},
      {Counter("cpu.seconds.total", "s"), "cpu_seconds_total", "cpu_seconds_total",
       "cpu.seconds_total"},
      {UpDownCounter("queue.size", "1"), "queue_size", "queue_size", "queue.size"},
      {HistogramOf("http.server.duration", "s"), "http_server_duration_seconds",
       "http_server_duration", "http.server.duration_seconds"},
      {Gauge("a__b..c"), "a_b_c", "a__b_c", "a__b..c"},
      {Gauge("_a_"), "a", "_a_", "_a_"},
      {Gauge("1st"), "_1st", "_1st", "1st"},
      {Gauge("node:cpu"), "node:cpu", "node:cpu", "node:cpu"},
      {Gauge("temp\xc3\xa9rature"), "temp_rature", "temp_rature", "temp\xc3\xa9rature"},
      {Gauge("@#$"), "", "", "@#$"},
      {Counter("@#$"), "total", "", "@#$_total"},
      {Gauge(""), "", "", ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MetricName(c.metric, kEscaped), c.escaped) << c.metric.name;
    EXPECT_EQ(MetricName(c.metric, kEscapedBare), c.escaped_bare) << c.metric.name;
    EXPECT_EQ(MetricName(c.metric, kWithSuffixes), c.with_suffixes) << c.metric.name;
    EXPECT_EQ(MetricName(c.metric, kAsItIs), c.metric.name);
  }
}

TEST(LabelName, KeysOfAttributes) {
  struct Case {
    std::string_view key, name;
  };
  const Case cases[] = {
      {"job", "job"},
      {"http.method", "http_method"},
      {"a..b", "a__b"},
      {"a:b", "a_b"},
      {"1st", "key_1st"},
      {"_private", "key_private"},
      {"__meta__", "__meta__"},
      {"\xc3\xbc.x", "__x"},
      {"caf\xc3\xa9", "caf_"},
      {"", ""},
      {"_", ""},
      {"...", ""},
  };
  for (const Case& c : cases) {
    for (const auto names : {kEscaped, kEscapedBare}) EXPECT_EQ(LabelName(c.key, names), c.name);
    for (const auto names : {kWithSuffixes, kAsItIs}) EXPECT_EQ(LabelName(c.key, names), c.key);
  }
}

}  // namespace
}  // namespace lockstep::otlp
