#include "ingest/json/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace lockstep::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DecodedWrite Decode(std::string_view body, const ExtraLabels& extra = {},
                    const IngestLimits& limits = {}) {
  auto decoded = DecodeJsonLines(body, extra, limits);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}

// The bits of the parsed values.
std::vector<uint64_t> BitsOf(const std::string& values, size_t count) {
  std::string times = "0";
  for (size_t i = 1; i < count; ++i) times += "," + std::to_string(i);
  const DecodedWrite decoded = Decode(R"({"metric":{"__name__":"m"},"values":[)" + values +
                                      R"(],"timestamps":[)" + times + "]}");
  std::vector<uint64_t> bits;
  for (const SeriesWrite& series : decoded.request.series) {
    for (const Sample& sample : series.samples)
      bits.push_back(std::bit_cast<uint64_t>(sample.value));
  }
  return bits;
}

std::string Told(std::string_view body) { return Decode(body).refusals.ToString(); }

TEST(JsonLinesTest, LinesBecomeSeries) {
  const DecodedWrite decoded = Decode(
      "{\"metric\":{\"__name__\":\"up\",\"job\":\"a \\\"b\\\" "
      "\\u00e4\"},\"values\":[1,2.5],\"timestamps\":[-5,1700000000000]}\r\n"
      "\n"
      " {\"timestamps\":[7],\"values\":[3],\"more\":{\"x\":[1]},\"metric\":{\"__name__\":\"up\","
      "\"empty\":\"\"}}");
  ASSERT_EQ(decoded.request.series.size(), 2u);
  EXPECT_EQ(decoded.request.series[0].labels,
            LabelSet::Of({{"__name__", "up"}, {"job", "a \"b\" \u00e4"}}));
  ASSERT_EQ(decoded.request.series[0].samples.size(), 2u);
  EXPECT_EQ(decoded.request.series[0].samples[0].timestamp_ms, -5);
  EXPECT_EQ(decoded.request.series[0].samples[1].value, 2.5);
  EXPECT_EQ(decoded.request.series[1].labels, LabelSet::Of({{"__name__", "up"}}));
  EXPECT_TRUE(decoded.refusals.empty());
}

TEST(JsonLinesTest, LinesOfOneSeriesComeTogether) {
  const std::string line = R"({"metric":{"__name__":"m"},"values":[1],"timestamps":[1]})";
  const DecodedWrite decoded = Decode(line + "\n" + line + "\n");
  ASSERT_EQ(decoded.request.series.size(), 1u);
  EXPECT_EQ(decoded.request.series[0].samples.size(), 2u);
}

TEST(JsonLinesTest, EveryBitOfNumbers) {
  EXPECT_THAT(BitsOf("0,-0,0.1, 5e-324 ,1.7976931348623157e308,-0.0", 6),
              ElementsAre(0, 1ull << 63, 0x3fb999999999999a, 1, 0x7fefffffffffffff, 1ull << 63));
  // 2^70, spelled out.
  EXPECT_THAT(BitsOf("1180591620717411303424", 1),
              ElementsAre(std::bit_cast<uint64_t>(std::ldexp(1, 70))));
  EXPECT_THAT(
      BitsOf(R"("Infinity","-Infinity","Inf","-inf")", 4),
      ElementsAre(0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000));
  EXPECT_THAT(BitsOf(R"("NaN",null)", 2), ElementsAre(0x7ff8000000000001, kStaleNanBits));
}

TEST(JsonLinesTest, BadLinesLeaveTheOthers) {
  const DecodedWrite decoded = Decode(
      "{\"metric\":{\"__name__\":\"a\"},\"values\":[1],\"timestamps\":[1]}\n"
      "{\"metric\":{\"__name__\":\"b\"},\"values\":[1,2],\"timestamps\":[1]}\n"
      "{\"metric\":{\"job\":\"b\"},\"values\":[1,2],\"timestamps\":[1,2]}\n"
      "{\"metric\":{\"__name__\":\"c\"},\"values\":[1],\"timestamps\":[1]}\n");
  EXPECT_EQ(decoded.request.series.size(), 2u);
  EXPECT_EQ(decoded.refusals.sample_count(), 4u);
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("line 2: it has 2 values and 1 timestamps\n"));
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("line 3: no metric name"));
}

TEST(JsonLinesTest, Complaints) {
  EXPECT_THAT(Told("x"), HasSubstr("line 1: it is not a JSON object"));
  EXPECT_THAT(Told("[]"), HasSubstr("line 1: it is not a JSON object"));
  EXPECT_THAT(Told("{\"metric\":{\"__name__\":\"b\"}"), HasSubstr("line 1: "));
  EXPECT_THAT(Told("{} {}"), HasSubstr("line 1: there is text after its JSON object"));
  EXPECT_THAT(Told("{}"), HasSubstr("line 1: it has no values"));
  EXPECT_THAT(Told(R"({"metric":7})"), HasSubstr("\"metric\" is not an object"));
  EXPECT_THAT(Told(R"({"metric":{"a":7}})"), HasSubstr("\"metric\" is not an object of strings"));
  EXPECT_THAT(Told(R"({"values":7})"), HasSubstr("\"values\" is not a list"));
  EXPECT_THAT(Told(R"({"values":[1,"x"]})"), HasSubstr("value 2 is not a number"));
  EXPECT_THAT(Told(R"({"values":[1e999]})"), HasSubstr("value 1 is not a number"));
  EXPECT_THAT(Told(R"({"values":[-inf]})"), HasSubstr("value 1 is not a number"));
  EXPECT_THAT(Told(R"({"timestamps":[1,2.5]})"),
              HasSubstr("timestamp 2 is not an integer number of milliseconds"));
  EXPECT_THAT(Told(R"({"timestamps":[9223372036854775808]})"),
              HasSubstr("timestamp 1 is not an integer"));
}

TEST(JsonLinesTest, ExtraLabelsReplaceOthers) {
  ExtraLabels extra;
  extra.Set("job", "new");
  const DecodedWrite decoded =
      Decode(R"({"metric":{"__name__":"m","job":"old"},"values":[1],"timestamps":[1]})", extra);
  EXPECT_EQ(decoded.request.series[0].labels, LabelSet::Of({{"__name__", "m"}, {"job", "new"}}));
}

TEST(JsonLinesTest, LimitsHold) {
  std::string body;
  for (const char* name : {"a", "b", "c"}) {
    body += "{\"metric\":{\"__name__\":\"" + std::string(name) +
            "\"},\"values\":[1],\"timestamps\":[1]}\n";
  }
  EXPECT_TRUE(
      absl::IsOutOfRange(DecodeJsonLines(body, {}, {.max_series_per_request = 2}).status()));
  EXPECT_TRUE(DecodeJsonLines(body, {}, {.max_series_per_request = 3}).ok());
}

TEST(JsonLinesTest, ALineOfBlanksIsNone) {
  const DecodedWrite decoded = Decode(
      " \t\r\n{\"metric\":{\"__name__\":\"m\"},\"values\":[1],"
      "\"timestamps\":[1]}\nx");
  EXPECT_EQ(decoded.request.series.size(), 1u);
  EXPECT_EQ(decoded.refusals.count(), 1u);
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("line 3: it is not a JSON object"));
}

TEST(JsonLinesTest, MoreComplaints) {
  EXPECT_THAT(Told(R"({"timestamps":7})"), HasSubstr("\"timestamps\" is not a list"));
  EXPECT_THAT(Told(R"({"values":[true]})"), HasSubstr("value 1 is not a number"));
  EXPECT_THAT(Told(R"({"values":["1"]})"), HasSubstr("value 1 is not a number"));
  EXPECT_THAT(Told(R"({"values":[nul]})"), HasSubstr("line 1: "));
  EXPECT_THAT(Told(R"({"timestamps":["1"]})"), HasSubstr("timestamp 1 is not an integer"));
  // A line that is refused counts for each of its values.
  EXPECT_EQ(Decode(R"({"values":[1,2,3],"timestamps":[1]})").refusals.sample_count(), 3u);
  EXPECT_EQ(Decode("x").refusals.sample_count(), 1u);
}

TEST(JsonLinesTest, NothingOfALineIsInTheNext) {
  const DecodedWrite decoded = Decode(
      "{\"metric\":{\"__name__\":\"m\",\"a\":\"b\"},\"values\":[1,2],\"timestamps\":[1,2]}\n"
      "{\"metric\":{\"__name__\":\"n\"},\"values\":[3],\"timestamps\":[3]}\n");
  ASSERT_EQ(decoded.request.series.size(), 2u);
  EXPECT_EQ(decoded.request.series[1].labels.ToString(), "n");
  EXPECT_EQ(decoded.request.series[1].samples.size(), 1u);
}

TEST(JsonLinesTest, WordsForValues) {
  EXPECT_THAT(
      BitsOf(R"("inf","infinity","-Infinity","nan")", 4),
      ElementsAre(0x7ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001));
  EXPECT_THAT(Told(R"({"values":["-NaN"]})"), HasSubstr("value 1 is not a number"));
  EXPECT_THAT(Told(R"({"values":["+Inf"]})"), HasSubstr("value 1 is not a number"));
}

}  // namespace
}  // namespace lockstep::json
