#include "api/prometheus/target_handlers.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

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

TEST(TargetHandlersTest, BadParametersAreRefused) {
  EXPECT_EQ(HandleTargetsMetadata(CallOf("limit=x"), nullptr).status, 400);
  EXPECT_EQ(HandleTargetsMetadata(CallOf("match_target=%7B"), nullptr).status, 400);
}

}  // namespace
}  // namespace lockstep::api
