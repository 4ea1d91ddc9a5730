#include "api/prometheus/target_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "scrape/config/scrape_config_file.h"
#include "scrape/scraper.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;
using testing::Not;

Call CallOf(const std::string& query) {
  Request request;
  request.method = "GET";
  request.target = "/api/v1/targets?" + query;
  return {Form::Of(request)};
}

// tests/interop/scrape_test.py compares results with targets to a real Prometheus.
TEST(TargetHandlersTest, WithoutAScraperThereIsNothing) {
  EXPECT_EQ(HandleTargets(CallOf(""), nullptr, "h").body,
            R"({"status":"success","data":{"activeTargets":[],"droppedTargets":[],)"
            R"("droppedTargetCounts":{}}})");
  EXPECT_EQ(HandleTargetsMetadata(CallOf(""), nullptr).body, R"({"status":"success","data":[]})");
  EXPECT_EQ(HandleScrapePools(nullptr).body, R"({"status":"success","data":{"scrapePools":[]}})");
}

TEST(TargetHandlersTest, RelabelStepsNeedAPoolAndLabels) {
  const auto error = [](const std::string& query) {
    return HandleRelabelSteps(CallOf(query), nullptr).body;
  };
  const auto bad_data = [](const std::string& text) {
    return R"({"status":"error","errorType":"bad_data","error":")" + text + "\"}";
  };
  EXPECT_EQ(error(""), bad_data("no scrapePool parameter provided"));
  EXPECT_EQ(error("scrapePool=a"), bad_data("no labels parameter provided"));
  EXPECT_EQ(error("scrapePool=a&labels={}"),
            bad_data(R"(error retrieving scrape config: scrape pool \"a\" not found)"));
  for (const char* labels : {"x", "[]", "{\"a\":1}", "{", "1"}) {
    EXPECT_NE(error(std::string("scrapePool=a&labels=") + labels).find("error parsing labels: "),
              std::string::npos);
  }
}

// Two jobs whose targets are not scraped for days: one with two targets, one of which is dropped,
// and one with a secret.
class ScrapedTargetsTest : public testing::Test {
 protected:
  ScrapedTargetsTest() {
    auto configs = scrape::ParseScrapeConfigs(R"(
global: {scrape_interval: 30d, scrape_timeout: 10s}
scrape_configs:
- job_name: nodes
  static_configs:
  - targets: ["127.0.0.1:1", "drop.example:2"]
    labels: {rack: r1}
  relabel_configs:
  - {source_labels: [__address__, rack], regex: "drop.*", action: drop}
  - {source_labels: [rack], target_label: place, replacement: "at $1"}
- job_name: secret
  params: {token: [hush], x: [y]}
  static_configs: [{targets: ["a.example:3"]}]
  relabel_configs: [{source_labels: [x], modulus: 1, target_label: part, action: hashmod}]
)",
                                              "/a.yml");
    EXPECT_TRUE(configs.ok()) << configs.status();
    scraper_.Configure(*std::move(configs));
    scraper_.Start(storage_,
                   [](const DecodedWrite&, Ingester::Done done) { done(WriteSummary()); });
    while (scraper_.pools().empty()) std::this_thread::yield();
  }
  ~ScrapedTargetsTest() override { scraper_.Stop(); }

  std::string Targets(const std::string& parameters) {
    return HandleTargets(CallOf(parameters), &scraper_, "host").body;
  }
  scrape::TargetState& StateOf(size_t pool) { return *scraper_.pools()[pool].active[0].state; }

  void Describe(size_t pool, std::string_view metric, std::string_view type, std::string_view help,
                std::string_view unit) {
    using exposition::EntryKind;
    const std::pair<EntryKind, std::string_view> texts[] = {
        {EntryKind::kType, type}, {EntryKind::kHelp, help}, {EntryKind::kUnit, unit}};
    for (const auto& [kind, text] : texts) {
      exposition::TextEntry entry;
      entry.kind = kind;
      entry.metric = metric;
      entry.text = text;
      StateOf(pool).metadata().Put(entry);
    }
  }

  MemoryStorage storage_;
  scrape::Scraper scraper_;
};

// The fields of Prometheus' Target and DroppedTarget.
TEST_F(ScrapedTargetsTest, EachTargetIsDescribed) {
  EXPECT_EQ(
      Targets("scrapePool=nodes"),
      R"({"status":"success","data":{"activeTargets":[{"discoveredLabels":{)"
      R"("__address__":"127.0.0.1:1","__metrics_path__":"/metrics","__scheme__":"http",)"
      R"("__scrape_interval__":"30d","__scrape_timeout__":"10s","job":"nodes","rack":"r1"},)"
      R"("labels":{"instance":"127.0.0.1:1","job":"nodes","place":"at r1","rack":"r1"},)"
      R"("scrapePool":"nodes","scrapeUrl":"http://127.0.0.1:1/metrics",)"
      R"("globalUrl":"http://host:1/metrics","lastError":"",)"
      R"("lastScrape":"0001-01-01T00:00:00Z","lastScrapeDuration":0,"health":"unknown",)"
      R"("scrapeInterval":"30d","scrapeTimeout":"10s"}],"droppedTargets":[{"discoveredLabels":{)"
      R"("__address__":"drop.example:2","__metrics_path__":"/metrics","__scheme__":"http",)"
      R"("__scrape_interval__":"30d","__scrape_timeout__":"10s","job":"nodes","rack":"r1"},)"
      R"("scrapePool":"nodes"}],"droppedTargetCounts":{"nodes":1}}})");
}

TEST_F(ScrapedTargetsTest, TheLastScrapeIsShown) {
  StateOf(0).Set({scrape::Health::kUp, "", 1500, 0.25});
  EXPECT_THAT(Targets("scrapePool=nodes"),
              HasSubstr(R"("lastError":"","lastScrape":"1970-01-01T00:00:01.500Z",)"
                        R"("lastScrapeDuration":0.25,"health":"up",)"));
  StateOf(0).Set({scrape::Health::kDown, "refused", 2500, 0.5});
  EXPECT_THAT(Targets("scrapePool=nodes"),
              HasSubstr(R"("lastError":"refused","lastScrape":"1970-01-01T00:00:02.500Z",)"
                        R"("lastScrapeDuration":0.5,"health":"down",)"));
}

TEST_F(ScrapedTargetsTest, SecretsAreHidden) {
  const std::string body = Targets("scrapePool=secret");
  EXPECT_THAT(body, Not(HasSubstr("hush")));
  EXPECT_THAT(body, HasSubstr(R"("__param_token":"xxxxx","__param_x":"y")"));
  EXPECT_THAT(body, HasSubstr("token=xxxxx"));
  // What is not this machine keeps its name.
  EXPECT_THAT(body, HasSubstr(R"("globalUrl":"http://a.example:3/)"));
}

TEST_F(ScrapedTargetsTest, AStateOrAPoolIsSelected) {
  const auto counts = [this](const std::string& parameters) {
    const std::string body = Targets(parameters);
    const auto count = [&body](std::string_view word) {
      size_t found = 0;
      for (size_t at = body.find(word); at != body.npos; at = body.find(word, at + 1)) ++found;
      return std::to_string(found);
    };
    return count("globalUrl") + " " + count("drop.example") + " " +
           body.substr(body.find("droppedTargetCounts") + 21);
  };
  EXPECT_EQ(counts(""), R"(2 1 {"nodes":1,"secret":0}}})");
  EXPECT_EQ(counts("state=any"), counts(""));
  EXPECT_EQ(counts("state=active"), "2 0 {}}}");
  EXPECT_EQ(counts("state=ACTIVE"), "2 0 {}}}");
  EXPECT_EQ(counts("state=dropped"), R"(0 1 {"nodes":1,"secret":0}}})");
  EXPECT_EQ(counts("state=other"), "0 0 {}}}");
  EXPECT_EQ(counts("scrapePool=secret"), R"(1 0 {"secret":0}}})");
  EXPECT_EQ(counts("scrapePool=none"), "0 0 {}}}");
  EXPECT_EQ(HandleScrapePools(&scraper_).body,
            R"({"status":"success","data":{"scrapePools":["nodes","secret"]}})");
}

TEST_F(ScrapedTargetsTest, MetadataAreThoseOfTheSelectedTargets) {
  Describe(0, "load", "gauge", "How busy.", "seconds");
  Describe(0, "up", "gauge", "", "");
  Describe(1, "load", "counter", "", "");
  const auto metadata = [this](const std::string& parameters) {
    const std::string body = HandleTargetsMetadata(CallOf(parameters), &scraper_).body;
    constexpr std::string_view kBegin = R"({"status":"success","data":)";
    EXPECT_THAT(body, testing::StartsWith(std::string(kBegin)));
    return body.substr(kBegin.size(), body.size() - kBegin.size() - 1);
  };
  const std::string nodes =
      R"({"target":{"instance":"127.0.0.1:1","job":"nodes","place":"at r1","rack":"r1"},)";
  const std::string secret = R"({"target":{"instance":"a.example:3","job":"secret","part":"0"},)";
  const std::string first =
      nodes + R"("metric":"load","type":"gauge","help":"How busy.","unit":"seconds"})";
  const std::string second = nodes + R"("metric":"up","type":"gauge","help":"","unit":""})";
  const std::string third = secret + R"("metric":"load","type":"counter","help":"","unit":""})";
  EXPECT_EQ(metadata(""), "[" + first + "," + second + "," + third + "]");
  EXPECT_EQ(metadata("limit=2"), "[" + first + "," + second + "]");
  EXPECT_EQ(metadata("limit=3"), metadata(""));
  EXPECT_EQ(metadata("match_target={job=\"secret\"}"), "[" + third + "]");
  EXPECT_EQ(metadata("metric=load&match_target={rack=\"r1\",job=\"nodes\"}"),
            "[" + nodes + R"("type":"gauge","help":"How busy.","unit":"seconds"}])");
  EXPECT_EQ(metadata("match_target={rack=\"r1\",job=\"secret\"}"), "[]");
}

TEST_F(ScrapedTargetsTest, RelabellingIsShownStepByStep) {
  const auto steps = [this](const std::string& labels) {
    return HandleRelabelSteps(CallOf("scrapePool=nodes&labels=" + labels), &scraper_).body;
  };
  const std::string drop =
      R"({"rule":{"source_labels":["__address__","rack"],"separator":";","regex":"drop.*",)"
      R"("replacement":"$1","action":"drop"},)";
  const std::string replace =
      R"-({"rule":{"source_labels":["rack"],"separator":";","regex":"(.*)",)-"
      R"("target_label":"place","replacement":"at $1","action":"replace"},)";
  EXPECT_EQ(steps(R"({"__address__":"a","rack":"r"})"),
            R"({"status":"success","data":{"steps":[)" + drop +
                R"("output":{"__address__":"a","rack":"r"},"keep":true},)" + replace +
                R"("output":{"__address__":"a","place":"at r","rack":"r"},"keep":true}]}})");
  EXPECT_EQ(steps(R"({"__address__":"drop","rack":"r"})"),
            R"({"status":"success","data":{"steps":[)" + drop + R"("output":{},"keep":false},)" +
                replace + R"("output":{},"keep":false}]}})");
}

TEST_F(ScrapedTargetsTest, AModulusIsShown) {
  EXPECT_THAT(HandleRelabelSteps(CallOf("scrapePool=secret&labels={\"x\":\"y\"}"), &scraper_).body,
              testing::AllOf(HasSubstr(R"("modulus":1,"target_label":"part",)"),
                             HasSubstr(R"("output":{"part":"0","x":"y"},"keep":true)")));
}

TEST(TargetHandlersTest, BadParametersAreRefused) {
  EXPECT_EQ(HandleTargetsMetadata(CallOf("limit=x"), nullptr).status, 400);
  EXPECT_EQ(HandleTargetsMetadata(CallOf("match_target=%7B"), nullptr).status, 400);
}

}  // namespace
}  // namespace lockstep::api
