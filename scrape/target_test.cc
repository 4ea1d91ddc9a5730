#include "scrape/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scrape/config/scrape_config_file.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The targets of one job with these keys.
TargetList TargetsOf(const std::string& keys) {
  const auto configs =
      ParseScrapeConfigs("scrape_configs:\n- {job_name: j, " + keys + "}\n", "/a.yml");
  EXPECT_TRUE(configs.ok()) << configs.status();
  const auto config = std::make_shared<const ScrapeConfig>(configs->front());
  return MakeTargets(config, config->static_groups);
}

TEST(TargetTest, HasTheLabelsAndTheUrlOfPrometheus) {
  struct Row {
    std::string keys;
    std::string_view labels;
    std::string_view url;
  };
  const std::string one = "static_configs: [{targets: ['h:1'], labels: {rack: r}}], ";
  for (const Row& row : {
           Row{one, R"({instance="h:1", job="j", rack="r"})", "http://h:1/metrics"},
           Row{one + "scheme: https, metrics_path: m", R"({instance="h:1", job="j", rack="r"})",
               "https://h:1/m"},
           Row{one + "params: {b: ['x y', z], a: ['&']}", R"({instance="h:1", job="j", rack="r"})",
               "http://h:1/metrics?a=%26&b=x+y&b=z"},
           // Relabelling may change them.
           Row{one + "params: {b: [x, y]}, relabel_configs: ["
                     "{replacement: 'o:2', target_label: __address__}, "
                     "{replacement: other, target_label: job}, "
                     "{replacement: z, target_label: __param_b}, "
                     "{replacement: c, target_label: __param_c}, "
                     "{replacement: /p, target_label: __metrics_path__}]",
               R"({instance="o:2", job="other", rack="r"})", "http://o:2/p?b=z&b=y&c=c"},
           Row{one + "relabel_configs: [{source_labels: [__address__], target_label: instance, "
                     "regex: '(.*):.*'}]",
               R"({instance="h", job="j", rack="r"})", "http://h:1/metrics"},
       }) {
    const TargetList list = TargetsOf(row.keys);
    ASSERT_EQ(list.active.size(), 1u) << row.keys;
    EXPECT_EQ(list.active[0]->labels.ToString(), row.labels) << row.keys;
    EXPECT_EQ(list.active[0]->url, row.url) << row.keys;
  }
}

TEST(TargetTest, KnowsWhatWasDiscovered) {
  const TargetList list = TargetsOf(
      "scrape_interval: 90s, static_configs: [{targets: ['h:1', 'g:1']}], "
      "relabel_configs: [{source_labels: [__address__], regex: 'g.*', action: drop}]");
  ASSERT_EQ(list.active.size(), 1u);
  EXPECT_EQ(list.active[0]->discovered_labels.ToString(),
            R"({__address__="h:1", __metrics_path__="/metrics", __scheme__="http", )"
            R"(__scrape_interval__="1m30s", __scrape_timeout__="10s", job="j"})");
  EXPECT_EQ(list.active[0]->interval, milliseconds(90'000));
  ASSERT_EQ(list.dropped.size(), 1u);
  EXPECT_EQ(list.dropped[0].Get("__address__"), "g:1");
  EXPECT_EQ(list.dropped_count, 1u);
}

TEST(TargetTest, IntervalAndTimeoutMayComeFromLabels) {
  const std::string one = "static_configs: [{targets: ['h:1']}], relabel_configs: [";
  const TargetList list = TargetsOf(one +
                                    "{replacement: 2s, target_label: __scrape_interval__}, "
                                    "{replacement: 1s, target_label: __scrape_timeout__}]");
  ASSERT_EQ(list.active.size(), 1u);
  EXPECT_EQ(list.active[0]->interval, milliseconds(2000));
  EXPECT_EQ(list.active[0]->timeout, milliseconds(1000));
  EXPECT_THAT(TargetsOf(one + "{replacement: 2s, target_label: __scrape_interval__}]").errors,
              ElementsAre("static_configs:0: h:1: the scrape timeout of 10000 ms is longer than "
                          "the interval of 2000 ms"));
}

TEST(TargetTest, SaysWhatCannotBeATarget) {
  const TargetList list = TargetsOf("static_configs: [{targets: ['http://h:1/metrics', '']}]");
  EXPECT_THAT(list.active, IsEmpty());
  EXPECT_THAT(list.errors, ElementsAre("static_configs:0: http://h:1/metrics: "
                                       "\"http://h:1/metrics\" is not a host with a port",
                                       "static_configs:0: : the target has no address"));
}

TEST(TargetTest, EachIsThereOnce) {
  EXPECT_EQ(
      TargetsOf("static_configs: [{targets: ['h:1', 'h:1']}, {targets: ['h:1']}]").active.size(),
      1u);
}

TEST(TargetTest, AboveTheLimitNoneIsScraped) {
  const TargetList list = TargetsOf("target_limit: 1, static_configs: [{targets: ['a:1', 'b:1']}]");
  ASSERT_EQ(list.active.size(), 2u);
  for (const auto& target : list.active) {
    EXPECT_EQ(target->refusal, "target_limit exceeded: 2 targets are more than 1");
  }
}

TEST(TargetTest, AtTheLimitAllAreScraped) {
  const TargetList list = TargetsOf("target_limit: 2, static_configs: [{targets: ['a:1', 'b:1']}]");
  ASSERT_EQ(list.active.size(), 2u);
  for (const auto& target : list.active) EXPECT_EQ(target->refusal, "");
}

TEST(TargetTest, TheLabelsOfAGroupGoBeforeTheKeysOfTheJob) {
  const TargetList list = TargetsOf(
      "params: {b: [x]}, static_configs: [{targets: ['h:1'], labels: {job: own, instance: me, "
      "__scheme__: https, __metrics_path__: /p, __scrape_interval__: 30s, __scrape_timeout__: 3s, "
      "__param_b: y, __address__: never}}]");
  ASSERT_EQ(list.active.size(), 1u);
  EXPECT_EQ(list.active[0]->url, "https://h:1/p?b=y");
  EXPECT_EQ(list.active[0]->labels.ToString(), R"({instance="me", job="own"})");
  EXPECT_EQ(list.active[0]->interval, milliseconds(30'000));
  EXPECT_EQ(list.active[0]->timeout, milliseconds(3'000));
}

TEST(TargetTest, AParameterWithoutValuesIsNotSent) {
  const TargetList list =
      TargetsOf("params: {a: [], b: ['']}, static_configs: [{targets: ['h:1']}]");
  ASSERT_EQ(list.active.size(), 1u);
  EXPECT_EQ(list.active[0]->url, "http://h:1/metrics?b=");
  EXPECT_EQ(list.active[0]->discovered_labels.Get("__param_a"), "");
}

TEST(TargetTest, IntervalAndTimeoutHaveToBeDurationsAboveZero) {
  const auto error_of = [](const std::string& label, const std::string& value) {
    const TargetList list =
        TargetsOf("static_configs: [{targets: ['h:1'], labels: {" + label + ": '" + value + "'}}]");
    EXPECT_THAT(list.active, IsEmpty());
    return list.errors.empty() ? "" : list.errors[0];
  };
  EXPECT_EQ(error_of("__scrape_interval__", "x"),
            "static_configs:0: h:1: label __scrape_interval__: \"x\" is not a duration above 0");
  EXPECT_EQ(error_of("__scrape_interval__", "0s"),
            "static_configs:0: h:1: label __scrape_interval__: \"0s\" is not a duration above 0");
  EXPECT_EQ(error_of("__scrape_timeout__", "0s"),
            "static_configs:0: h:1: label __scrape_timeout__: \"0s\" is not a duration above 0");
}

TEST(TargetTest, TheTimeoutMayBeAsLongAsTheInterval) {
  const TargetList list =
      TargetsOf("scrape_interval: 5s, scrape_timeout: 5s, static_configs: [{targets: ['h:1']}]");
  ASSERT_EQ(list.active.size(), 1u);
  EXPECT_EQ(list.active[0]->timeout, milliseconds(5'000));
}

// As many dropped targets are listed as the job keeps, and all are counted.
TEST(TargetTest, OfDroppedTargetsSomeAreListed) {
  const auto dropped = [](uint64_t kept, int count) {
    const auto config = std::make_shared<ScrapeConfig>();
    config->limits.kept_dropped_targets = kept;
    config->relabel_rules.push_back(*RelabelRule::Make({.action = RelabelAction::kDrop,
                                                        .source_labels = {},
                                                        .separator = {},
                                                        .regex = {},
                                                        .replacement = {},
                                                        .target_label = "",
                                                        .modulus = 0}));
    TargetGroup group;
    for (int i = 0; i < count; ++i) group.addresses.push_back(std::to_string(i));
    const TargetList list = MakeTargets(config, {group});
    EXPECT_THAT(list.active, IsEmpty());
    EXPECT_EQ(list.dropped_count, static_cast<uint64_t>(count));
    return list.dropped.size();
  };
  EXPECT_EQ(dropped(2, 2), 2u);
  EXPECT_EQ(dropped(2, 3), 2u);
  EXPECT_EQ(dropped(0, 3), 3u);
  EXPECT_EQ(dropped(0, 10'001), 10'000u);
  EXPECT_EQ(dropped(20'000, 10'001), 10'000u);
}

}  // namespace
}  // namespace lockstep::scrape
