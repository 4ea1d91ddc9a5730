#include "ingest/json/datadog_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/json/datadog_testing.h"

namespace lockstep::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DecodedWrite Series(std::string_view body) {
  auto decoded = DecodeDatadogSeries(body, kNowMs, {});
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}

TEST(DatadogSeriesTest, VersionOne) {
  const DecodedWrite decoded =
      Series(R"({"series":[{"metric":"load","points":[[1.5,2],[3,4.5]],"type":"gauge",)"
             R"("interval":null,"host":"n1","device":"sda",)"
             R"("tags":["env:prod","host:other","canary","url:a:b"]}]})");
  EXPECT_THAT(Texts(decoded),
              ElementsAre("load{canary=\"no_label_value\", device=\"sda\", env=\"prod\", "
                          "exported_host=\"other\", host=\"n1\", url=\"a:b\"} 2@1500 4.5@3000"));
  EXPECT_TRUE(decoded.refusals.empty());
}

TEST(DatadogSeriesTest, VersionTwo) {
  const DecodedWrite decoded =
      Series(R"({"series":[{"metric":"load","type":3,"points":[{"timestamp":7,"value":-1e-3}],)"
             R"("source_type_name":"system",)"
             R"("resources":[{"type":"host","name":"n1"},{"name":"only"}],"unit":"s",)"
             R"("metadata":{"origin":{"x":[1]}}}]})");
  EXPECT_THAT(Texts(decoded),
              ElementsAre("load{host=\"n1\", source_type_name=\"system\"} -0.001@7000"));
}

TEST(DatadogSeriesTest, NamesAreMadePlainAsDatadogMakesThem) {
  const auto name = [](const std::string& metric) {
    const DecodedWrite decoded =
        Series(R"({"series":[{"metric":")" + metric + R"(","points":[[1,1]]}]})");
    return std::string(decoded.request.series.at(0).labels.metric_name());
  };
  EXPECT_EQ(name("system.load.1"), "system.load.1");
  EXPECT_EQ(name("before.dot!.x"), "before.dot.x");
  EXPECT_EQ(name("after.!x"), "after.x");
  EXPECT_EQ(name("a!!__b"), "a_b");
}

TEST(DatadogSeriesTest, PointsWithoutATimeAreOfNow) {
  EXPECT_THAT(
      Texts(Series(
          R"({"series":[{"metric":"m","points":[[0,1]]},{"metric":"n","points":[{"value":2}]}]})")),
      ElementsAre("m 1@9000", "n 2@9000"));
}

TEST(DatadogSeriesTest, BadSeriesLeaveTheOthers) {
  const DecodedWrite decoded = Series(
      R"({"series":[{"metric":"a","points":[[1,1]]},{"metric":"b","points":[[1,"x"],[2,2]],)"
      R"("tags":["k:v"]},)"
      R"({"points":[[1,1],[2,2]]},{"metric":"c","points":7},{"metric":"d","points":[[1e300,1]]},)"
      R"({"metric":"e","points":[[1,1]],"tags":[7]},{"metric":"f","points":[[1,1]]}]})");
  EXPECT_THAT(Texts(decoded), ElementsAre("a 1@1000", "f 1@1000"));
  const std::string told = decoded.refusals.ToString();
  EXPECT_THAT(told, HasSubstr("series 2: point 1 is not a [time, number] pair\n"));
  EXPECT_THAT(told, HasSubstr("series 3: it has no \"metric\"\n"));
  EXPECT_THAT(told, HasSubstr("series 4: \"points\" is not a list\n"));
  EXPECT_THAT(told, HasSubstr("series 5: the time of point 1 is out of range\n"));
  EXPECT_THAT(told, HasSubstr("series 6: \"tags\" contains a value that is not a string\n"));
}

TEST(DatadogSeriesTest, OtherBodiesAreRefused) {
  for (const char* body : {"", "x", "[]", R"({"series":7})", R"({"series":[7]})",
                           R"({"series":[{"metric":"m")", "{} {}"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeDatadogSeries(body, kNowMs, {}).status())) << body;
  }
  EXPECT_TRUE(absl::IsOutOfRange(
      DecodeDatadogSeries(
          R"({"series":[{"metric":"a","points":[[1,1]]},{"metric":"b","points":[[1,1]]}]})", kNowMs,
          {.max_series_per_request = 1})
          .status()));
}

}  // namespace
}  // namespace lockstep::json
