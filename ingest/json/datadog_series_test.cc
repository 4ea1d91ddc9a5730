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

std::string SeriesToldOf(std::string_view members) {
  return Series(R"({"series":[{"metric":"m","points":[[1,1]],)" + std::string(members) + "}]}")
      .refusals.ToString();
}

TEST(DatadogSeriesTest, Complaints) {
  EXPECT_THAT(SeriesToldOf(R"("tags":{})"), HasSubstr("series 1: \"tags\" is not a list\n"));
  EXPECT_THAT(SeriesToldOf(R"("host":7)"), HasSubstr("series 1: \"host\" is not a string\n"));
  EXPECT_THAT(SeriesToldOf(R"("device":7)"), HasSubstr("\"device\" is not a string\n"));
  EXPECT_THAT(SeriesToldOf(R"("source_type_name":7)"),
              HasSubstr("\"source_type_name\" is not a string\n"));
  EXPECT_THAT(SeriesToldOf(R"("metric":7)"), HasSubstr("\"metric\" is not a string\n"));
  EXPECT_THAT(SeriesToldOf(R"("resources":7)"), HasSubstr("\"resources\" is not a list\n"));
  EXPECT_THAT(SeriesToldOf(R"("resources":[7])"), HasSubstr("a resource is not an object\n"));
  EXPECT_THAT(SeriesToldOf(R"("resources":[{"type":7}])"), HasSubstr("\"type\" is not a string\n"));
  EXPECT_THAT(SeriesToldOf(R"("resources":[{"type":"a","name":7}])"),
              HasSubstr("\"name\" is not a string\n"));
}

TEST(DatadogSeriesTest, PointsHaveATimeAndANumber) {
  const auto told = [](std::string_view point) {
    return Series(R"({"series":[{"metric":"m","points":[[1,1],)" + std::string(point) + "]}]}")
        .refusals.ToString();
  };
  const std::string no_pair = "series 1: point 2 is not a [time, number] pair\n";
  for (const std::string_view point :
       {"7", "[1]", "[]", "[1,2,3]", R"(["1",2])", "[1,null]", "[1,1e999]", "{}",
        R"({"timestamp":1})", R"({"timestamp":"1","value":2})", R"({"value":null})"}) {
    EXPECT_THAT(told(point), HasSubstr(no_pair)) << point;
  }
  EXPECT_THAT(told("[-1e300,1]"), HasSubstr("the time of point 2 is out of range\n"));
  // The points before it count as refused, too.
  EXPECT_EQ(
      Series(R"({"series":[{"metric":"m","points":[[1,1],[2,2],[3]]}]})").refusals.sample_count(),
      2u);
}

TEST(DatadogSeriesTest, NullIsNoText) {
  EXPECT_THAT(
      Texts(
          Series(R"({"series":[{"metric":"m","points":[[1,1]],"host":null,"device":"",)"
                 R"("tags":["a:"],"resources":[{"type":null,"name":"x"},{"type":"r","name":null}],)"
                 R"("source_type_name":null}]})")),
      ElementsAre("m 1@1000"));
  EXPECT_EQ(Series(R"({"series":[{"metric":null,"points":[[1,1]]}]})").refusals.count(), 1u);
}

TEST(DatadogSeriesTest, NothingOfASeriesIsInTheNext) {
  EXPECT_THAT(Texts(Series(R"({"series":[{"metric":"a","points":[[1,1]],"host":"h"},)"
                           R"({"metric":"b","points":[[2,2]]},{"points":[[3,3]]}]})")),
              ElementsAre("a{host=\"h\"} 1@1000", "b 2@2000"));
}

TEST(DatadogSeriesTest, ErrorsOfTheBody) {
  const auto error = [](std::string_view body) {
    return std::string(DecodeDatadogSeries(body, kNowMs, {}).status().message());
  };
  EXPECT_EQ(error("[]"), "the body is not a JSON object");
  EXPECT_EQ(error(R"({"series":7})"), "\"series\" is not a list");
  EXPECT_EQ(error(R"({"series":[7]})"), "series 1 is not a JSON object");
  EXPECT_EQ(error("{} {}"), "there is text after the body's JSON object");
  EXPECT_EQ(error(R"({"more":[{"x":1}],"series":[]})"), "");
}

}  // namespace
}  // namespace lockstep::json
