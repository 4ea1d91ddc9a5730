#include "ingest/influx/influx_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::influx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kNowMs = 1'700'000'000'123;

// " 1@5 2@6"
std::string TextOf(const std::vector<Sample>& samples) {
  std::string text;
  for (const Sample& sample : samples) {
    text += " " + testing::PrintToString(sample.value) + "@" + std::to_string(sample.timestamp_ms);
  }
  return text;
}

// "cpu_idle{host="a"} 1@5 2@6", one string per series.
std::vector<std::string> SeriesOf(const DecodedWrite& decoded) {
  std::vector<std::string> lines;
  for (const SeriesWrite& series : decoded.request.series) {
    lines.push_back(series.labels.ToString() + TextOf(series.samples));
  }
  return lines;
}

DecodedWrite Decode(std::string_view body, LineTerms terms = {}, const IngestLimits& limits = {}) {
  terms.now_ms = kNowMs;
  auto decoded = DecodeLines(body, terms, limits);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}

TEST(InfluxRequestTest, FieldsBecomeSeries) {
  const DecodedWrite decoded = Decode(
      "cpu,host=a idle=1,user=2 5000000\n"
      "cpu,host=a idle=3 6999999\n");
  EXPECT_THAT(SeriesOf(decoded),
              ElementsAre("cpu_idle{host=\"a\"} 1@5 3@6", "cpu_user{host=\"a\"} 2@5"));
  EXPECT_EQ(decoded.sample_count, 3u);
  EXPECT_EQ(decoded.series_count, 2u);
}

// Lines that share measurement and tags are read faster; what they mean is what each means alone.
TEST(InfluxRequestTest, LinesMeanTheSameTogetherAsAlone) {
  constexpr std::string_view kHeads[] = {
      "m", "m,a=1", "m,a=1,b=2", "m,b=2,a=1", "m\\ n,a\\,=1", "m,a=\\ 1", "m,=1", "m,a=1,b"};
  constexpr std::string_view kFields[] = {"x=1",     "y=2i",          "value=t",    "z\\==3",
                                          "z_=4",    "x=5",           "t=\"text\"", "t=7",
                                          "broken=", "q=\"a\\\"b c\""};
  std::mt19937 random(1);
  const auto pick = [&](std::span<const std::string_view> all) {
    return all[random() % all.size()];
  };
  std::string body;
  std::map<std::string, std::string> expected;  // the samples by the labels
  uint64_t refused_count = 0;
  uint64_t text_count = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string line(pick(kHeads));
    for (size_t field = 0, count = 1 + random() % 3; field < count; ++field) {
      (line += field == 0 ? ' ' : ',') += pick(kFields);
    }
    line += absl::StrFormat(" %d000000\n", i);
    const DecodedWrite alone = Decode(line);
    for (const SeriesWrite& series : alone.request.series) {
      expected[series.labels.ToString()] += TextOf(series.samples);
    }
    refused_count += alone.refusals.sample_count();
    text_count += alone.text_value_count;
    body += line;
  }
  const DecodedWrite together = Decode(body);
  std::map<std::string, std::string> found;
  for (const SeriesWrite& series : together.request.series) {
    EXPECT_TRUE(found.try_emplace(series.labels.ToString(), TextOf(series.samples)).second);
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 20u);
  EXPECT_EQ(together.series_count, found.size());
  EXPECT_EQ(together.refusals.sample_count(), refused_count);
  EXPECT_GT(refused_count, 0u);
  EXPECT_EQ(together.text_value_count, text_count);
}

TEST(InfluxRequestTest, AFieldCalledValueHasNoNameOfItsOwn) {
  EXPECT_THAT(SeriesOf(Decode("temperature value=21.5 0")), ElementsAre("temperature 21.5@0"));
}

TEST(InfluxRequestTest, NamesBecomePlain) {
  EXPECT_THAT(SeriesOf(Decode("disk.io,2nd\\ tag=x\\ y,a:b=c read-bytes=1i 0\n5m load=1 0")),
              ElementsAre("disk_io_read_bytes{_2nd_tag=\"x y\", a_b=\"c\"} 1@0", "_5m_load 1@0"));
}

TEST(InfluxRequestTest, TheDatabaseIsALabelUnlessATagIs) {
  EXPECT_THAT(SeriesOf(Decode("m value=1 0\nm,db=own value=2 0", {.database = "telegraf"})),
              ElementsAre("m{db=\"telegraf\"} 1@0", "m{db=\"own\"} 2@0"));
}

TEST(InfluxRequestTest, TimesInEveryUnit) {
  struct Case {
    std::string_view precision;
    std::string_view time;
    std::string_view expected;
  };
  const Case cases[] = {
      {"", "1700000000123999999", "1700000000123"},
      {"ns", "-1", "-1"},
      {"n", "-1000000", "-1"},
      {"us", "1999", "1"},
      {"u", "-1001", "-2"},
      {"\u00b5", "0", "0"},
      {"ms", "-7", "-7"},
      {"s", "5", "5000"},
      {"m", "2", "120000"},
      {"h", "-1", "-3600000"},
  };
  for (const Case& c : cases) {
    const auto precision = ParsePrecision(c.precision);
    ASSERT_TRUE(precision.has_value()) << c.precision;
    EXPECT_THAT(SeriesOf(Decode("m value=1 " + std::string(c.time), {.precision = *precision})),
                ElementsAre("m 1@" + std::string(c.expected)));
  }
  EXPECT_EQ(ParsePrecision("d"), std::nullopt);
}

TEST(InfluxRequestTest, WithoutATimeItIsTheArrival) {
  EXPECT_THAT(SeriesOf(Decode("m value=1", {.precision = Precision::kHours})),
              ElementsAre("m 1@1700000000123"));
}

TEST(InfluxRequestTest, TextIsCountedAndLeftOut) {
  const DecodedWrite decoded = Decode("m a=\"x\",b=1,c=\"2\" 0\nm a=\"y\" 0");
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("m_b 1@0"));
  EXPECT_EQ(decoded.text_value_count, 3u);
  EXPECT_TRUE(decoded.refusals.empty());
}

TEST(InfluxRequestTest, BadLinesLeaveTheOthers) {
  const DecodedWrite decoded = Decode(
      "good value=1 0\r\n"
      "# comment\r\n"
      "bad value=1,other=x 0\r\n"
      "late value=1 9223372036854775807\r\n"
      "twice,a=1,a=2 value=1 0\r\n"
      "also value=2 0\r\n",
      {.precision = Precision::kSeconds});
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("good 1@0", "also 2@0"));
  const std::string told = decoded.refusals.ToString();
  EXPECT_THAT(
      told, HasSubstr("line 3: the field \"other\" has the value \"x\", which is not a number\n"));
  EXPECT_THAT(told, HasSubstr("line 4: its time is out of range\n"));
  EXPECT_THAT(told, HasSubstr("line 5: duplicate label name \"a\"\n"));
  EXPECT_EQ(decoded.refusals.sample_count(), 3u);
  EXPECT_EQ(decoded.sample_count, 5u);
}

TEST(InfluxRequestTest, LimitsOfLabelsHold) {
  const DecodedWrite decoded =
      Decode("m,a=1,b=2,c=3 value=1 0\nm,a=123 value=1 0\nm,a=12 value=1 0", {},
             {.max_labels_per_series = 3, .max_label_value_bytes = 2});
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("m{a=\"12\"} 1@0"));
  const std::string told = decoded.refusals.ToString();
  EXPECT_THAT(told, HasSubstr("line 1: 4 labels exceed the limit of 3"));
  EXPECT_THAT(told, HasSubstr("line 2: a label value of 3 bytes is longer than the limit of 2"));
}

TEST(InfluxRequestTest, ManyTagsAreNoMemory) {
  std::string line = "m";
  for (int i = 0; i < 10'000; ++i) line += ",t" + std::to_string(i) + "=x";
  const DecodedWrite decoded = Decode(line + " value=1");
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("labels exceed the limit of 64"));
}

TEST(InfluxRequestTest, LongLinesAreRefused) {
  const DecodedWrite decoded = Decode("m value=1 0\nm long=\"" + std::string(100, 'x') + "\" 0", {},
                                      {.max_point_bytes = 50});
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("m 1@0"));
  EXPECT_THAT(decoded.refusals.ToString(),
              HasSubstr("line 2: its size of 111 bytes exceeds the limit of 50"));
}

TEST(InfluxRequestTest, TooManySeriesRefuseTheBody) {
  const auto decoded =
      DecodeLines("a value=1\na value=2\nb value=1\nc value=1", {}, {.max_series_per_request = 2});
  EXPECT_TRUE(absl::IsOutOfRange(decoded.status()));
  EXPECT_TRUE(
      DecodeLines("a value=1\na value=2\nb value=1", {}, {.max_series_per_request = 2}).ok());
}

TEST(InfluxRequestTest, TimesThatDoNotFit) {
  const auto refused = [](Precision precision, const std::string& time) {
    return Decode("m value=1 " + time, {.precision = precision}).refusals.count() == 1;
  };
  EXPECT_FALSE(refused(Precision::kSeconds, "9223372036854775"));
  EXPECT_TRUE(refused(Precision::kSeconds, "9223372036854776"));
  EXPECT_FALSE(refused(Precision::kSeconds, "-9223372036854775"));
  EXPECT_TRUE(refused(Precision::kSeconds, "-9223372036854776"));
  EXPECT_FALSE(refused(Precision::kMinutes, "153722867280912"));
  EXPECT_TRUE(refused(Precision::kMinutes, "153722867280913"));
  EXPECT_FALSE(refused(Precision::kHours, "2562047788015"));
  EXPECT_TRUE(refused(Precision::kHours, "2562047788016"));
  EXPECT_FALSE(refused(Precision::kNanoseconds, "-9223372036854775808"));
}

TEST(InfluxRequestTest, EveryNameOfAPrecision) {
  EXPECT_EQ(ParsePrecision("\u00b5s"), Precision::kMicroseconds);
  EXPECT_EQ(ParsePrecision("us"), Precision::kMicroseconds);
  EXPECT_EQ(ParsePrecision("ns"), Precision::kNanoseconds);
  for (const char* name : {"S", "sec", "min", "\u00b5m", "nss"}) {
    EXPECT_EQ(ParsePrecision(name), std::nullopt) << name;
  }
}

TEST(InfluxRequestTest, LinesThatAreAsLongAsAllowed) {
  const std::string line = "m value=1 0";
  EXPECT_TRUE(Decode(line, {}, {.max_point_bytes = line.size()}).refusals.empty());
  EXPECT_EQ(Decode(line, {}, {.max_point_bytes = line.size() - 1}).refusals.count(), 1u);
}

TEST(InfluxRequestTest, TextThatSpansLinesCountsThem) {
  EXPECT_THAT(Decode("m t=\"a\nb\" 0\n\nm x 0").refusals.ToString(),
              HasSubstr("line 4: the field \"x\" is not name=value\n"));
}

}  // namespace
}  // namespace lockstep::influx
