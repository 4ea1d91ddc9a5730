// Builds messages with protozero's writer and the field numbers of Datadog's agent_payload.proto.
#include "ingest/json/datadog_payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "ingest/json/datadog_testing.h"

namespace lockstep::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Series {
  std::string metric;
  std::vector<std::pair<int64_t, double>> points;
  std::vector<std::string> tags = {};
  std::vector<std::pair<std::string, std::string>> resources = {};
  std::string source = {};
};

std::string Message(const std::vector<Series>& all) {
  std::string body;
  protozero::pbf_writer payload(body);
  for (const Series& one : all) {
    protozero::pbf_writer series(payload, 1);
    for (const auto& [type, name] : one.resources) {
      protozero::pbf_writer resource(series, 1);
      resource.add_string(1, type);
      resource.add_string(2, name);
    }
    if (!one.metric.empty()) series.add_string(2, one.metric);
    for (const std::string& tag : one.tags) series.add_string(3, tag);
    for (const auto& [seconds, value] : one.points) {
      protozero::pbf_writer point(series, 4);
      point.add_double(1, value);
      point.add_int64(2, seconds);
    }
    series.add_enum(5, 3);
    series.add_string(6, "unit");
    if (!one.source.empty()) series.add_string(7, one.source);
    series.add_int64(8, 10);
  }
  return body;
}

DecodedWrite Decoded(std::string_view body) {
  auto decoded = DecodeDatadogPayload(body, kNowMs, {});
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}

TEST(DatadogPayloadTest, SeriesAreThoseOfJson) {
  const DecodedWrite decoded =
      Decoded(Message({{"system.load!.1",
                        {{7, 1.5}, {8, -2}},
                        {"env:prod", "canary", "host:x", "url:a:b"},
                        {{"host", "n1"}, {"device", "sda"}, {"", "nothing"}},
                        "System"},
                       {"now", {{0, 1}}}}));
  EXPECT_THAT(Texts(decoded),
              ElementsAre("{\"system.load.1\", canary=\"no_label_value\", device=\"sda\", "
                          "env=\"prod\", exported_host=\"x\", host=\"n1\", "
                          "source_type_name=\"System\", url=\"a:b\"} 1.5@7000 -2@8000",
                          "now 1@9000"));
  EXPECT_TRUE(decoded.refusals.empty());
  EXPECT_EQ(decoded.sample_count, 3u);
}

TEST(DatadogPayloadTest, BadSeriesLeaveTheOthers) {
  const DecodedWrite decoded = Decoded(Message({{"", {{1, 1}, {2, 2}}},
                                                {"far", {{INT64_MAX, 1}, {INT64_MIN, 2}, {3, 3}}},
                                                {"text", {{1, 1}}, {"a:\xff"}},
                                                {"good", {{1, 1}}}}));
  EXPECT_THAT(Texts(decoded), ElementsAre("far 3@3000", "good 1@1000"));
  const std::string told = decoded.refusals.ToString();
  EXPECT_THAT(told, HasSubstr("series 1: it has no metric\n"));
  EXPECT_THAT(told, HasSubstr("series 2: the time of a point is out of range\n"));
  EXPECT_THAT(told, HasSubstr("UTF-8"));
  EXPECT_EQ(decoded.refusals.sample_count(), 5u);
  EXPECT_EQ(decoded.sample_count, 7u);
}

TEST(DatadogPayloadTest, EveryTruncationIsAnErrorOrLess) {
  const std::string body = Message({{"load", {{1, 1}}, {"a:b"}, {{"host", "n"}}}, {"m", {{1, 1}}}});
  for (size_t size = 0; size < body.size(); ++size) {
    const auto decoded = DecodeDatadogPayload(body.substr(0, size), kNowMs, {});
    if (decoded.ok()) {
      EXPECT_LT(decoded->request.series.size(), 2u);
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(decoded.status())) << decoded.status();
    }
  }
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeDatadogPayload("{}", kNowMs, {}).status()));
}

TEST(DatadogPayloadTest, Limits) {
  const std::string two = Message({{"a", {{1, 1}}}, {"b", {{1, 1}}}});
  EXPECT_TRUE(absl::IsOutOfRange(
      DecodeDatadogPayload(two, kNowMs, {.max_series_per_request = 1}).status()));
  const DecodedWrite many = *DecodeDatadogPayload(Message({{"a", {{1, 1}}, {"a:1", "b:2", "c:3"}}}),
                                                  kNowMs, {.max_labels_per_series = 2});
  EXPECT_EQ(many.refusals.sample_count(), 1u);
}

}  // namespace
}  // namespace lockstep::json
