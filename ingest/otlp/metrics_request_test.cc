#include "ingest/otlp/metrics_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ingest/remote_write/remote_write_encoder.h"

namespace lockstep::otlp {
namespace {

using std::string_literals::operator""s;

using testing::HasSubstr;
using testing::SizeIs;

DecodedWrite Decoded(absl::StatusOr<DecodedWrite> decoded) {
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}
DecodedWrite FromProtobuf(std::string_view message) {
  return Decoded(MetricsDecoder({}).DecodeProtobuf(message, {}, nullptr));
}
DecodedWrite FromJson(std::string_view text) {
  return Decoded(MetricsDecoder({}).DecodeJson(text, {}));
}

// A protobuf field whose value is `bytes`.
std::string Field(int number, const std::string& bytes) {
  EXPECT_LT(bytes.size(), 0x4000u);
  std::string field(1, static_cast<char>(number << 3 | 2));
  if (bytes.size() >= 0x80) field += static_cast<char>(bytes.size() | 0x80);
  field += static_cast<char>(bytes.size() >= 0x80 ? bytes.size() >> 7 : bytes.size());
  return field + bytes;
}

// 2 s and 1 s, as fixed64 nanoseconds.
const std::string kTwoSeconds = "\x00\x94\x35\x77\x00\x00\x00\x00"s;
const std::string kOneSecond = "\x00\xca\x9a\x3b\x00\x00\x00\x00"s;

std::string StringAttribute(const std::string& key, const std::string& value) {
  return Field(1, key) + Field(2, Field(1, value));
}

// A request of service "s" and scope "lib" with these metrics.
std::string RequestOf(const std::string& metrics) {
  const std::string resource = Field(1, Field(1, StringAttribute("service.name", "s")));
  const std::string scope = Field(1, Field(1, "lib") + Field(2, "1.2"));
  return Field(1, resource + Field(2, scope + metrics));
}

// Written by hand from the message definitions: one metric of every kind. The JSON is equivalent.
std::string EveryKind() {
  const std::string times = "\x11"s + kOneSecond + "\x19" + kTwoSeconds;
  const std::string attribute = StringAttribute("gpu", "0");
  const std::string gauge =
      Field(1, "power") + Field(2, "Watts drawn.") + Field(3, "W") +
      Field(5, Field(1, Field(7, attribute) + times + "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f"s));
  // -2 with trace 01ff; 0.5 at one second.
  const std::string exemplar =
      "\x11"s + kOneSecond + "\x19\x00\x00\x00\x00\x00\x00\xe0\x3f"s + Field(5, "\x01\xff");
  const std::string sum =
      Field(1, "steps") + Field(7, Field(1, Field(7, attribute) + times + Field(5, exemplar) +
                                                "\x31\xfe\xff\xff\xff\xff\xff\xff\xff") +
                                       "\x10\x02\x18\x01");
  const std::string histogram =
      Field(1, "latency") +
      Field(9, Field(1, Field(9, attribute) + times + "\x21\x03\x00\x00\x00\x00\x00\x00\x00"s +
                            "\x29\x00\x00\x00\x00\x00\x00\x10\x40"s +
                            Field(6, "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"s) +
                            Field(7, "\x00\x00\x00\x00\x00\x00\xe0\x3f"s)) +
                   "\x10\x02");
  const std::string exponential =
      Field(1, "size") +
      Field(10, Field(1, Field(1, attribute) + times + "\x21\x04\x00\x00\x00\x00\x00\x00\x00"s +
                             "\x29\x00\x00\x00\x00\x00\x00\x10\x40"s + "\x30\x02" +
                             "\x39\x01\x00\x00\x00\x00\x00\x00\x00"s +
                             Field(8, "\x08\x03" + Field(2, "\x01\x02"s))) +
                    "\x10\x02");
  const std::string summary =
      Field(1, "wait") +
      Field(11, Field(1, Field(7, attribute) + times + "\x21\x05\x00\x00\x00\x00\x00\x00\x00"s +
                             "\x29\x00\x00\x00\x00\x00\x00\x10\x40"s +
                             Field(6,
                                   "\x09\x00\x00\x00\x00\x00\x00\xe0\x3f"
                                   "\x11\x00\x00\x00\x00\x00\x00\xf8\x3f"s)));
  std::string metrics;
  for (const std::string& metric : {gauge, sum, histogram, exponential, summary}) {
    metrics += Field(2, metric);
  }
  return RequestOf(metrics);
}

constexpr std::string_view kEveryKindInJson = R"({"resourceMetrics": [{
  "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "s"}}]},
  "scopeMetrics": [{"scope": {"name": "lib", "version": "1.2"}, "metrics": [
    {"name": "power", "description": "Watts drawn.", "unit": "W", "gauge": {"dataPoints": [{
      "attributes": [{"key": "gpu", "value": {"stringValue": "0"}}],
      "startTimeUnixNano": "1000000000", "timeUnixNano": "2000000000", "asDouble": 1.5}]}},
    {"name": "steps", "sum": {"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [{
      "attributes": [{"key": "gpu", "value": {"stringValue": "0"}}],
      "startTimeUnixNano": 1000000000, "timeUnixNano": 2000000000, "asInt": "-2",
      "exemplars": [{"timeUnixNano": "1000000000", "asDouble": 0.5, "traceId": "01FF"}]}]}},
    {"name": "latency", "histogram": {
      "aggregationTemporality": "AGGREGATION_TEMPORALITY_CUMULATIVE", "dataPoints": [{
      "attributes": [{"key": "gpu", "value": {"stringValue": "0"}}],
      "startTimeUnixNano": "1000000000", "timeUnixNano": "2000000000", "count": "3", "sum": 4,
      "bucketCounts": ["1", 2], "explicitBounds": [0.5]}]}},
    {"name": "size", "exponentialHistogram": {"aggregationTemporality": 2, "dataPoints": [{
      "attributes": [{"key": "gpu", "value": {"stringValue": "0"}}],
      "startTimeUnixNano": "1000000000", "timeUnixNano": "2000000000", "count": 4, "sum": 4,
      "scale": 1, "zeroCount": "1", "positive": {"offset": -2, "bucketCounts": ["1", "2"]}}]}},
    {"name": "wait", "summary": {"dataPoints": [{
      "attributes": [{"key": "gpu", "value": {"stringValue": "0"}}],
      "startTimeUnixNano": "1000000000", "timeUnixNano": "2000000000", "count": 5, "sum": 4,
      "quantileValues": [{"quantile": 0.5, "value": 1.5}]}]}},
    {"name": "from the future", "novelty": {"dataPoints": [{}]}}
  ]}]}]})";

// The labels and samples of series number `i`.
std::string Row(const DecodedWrite& decoded, size_t i) {
  const SeriesWrite& series = decoded.request.series.at(i);
  std::string row = series.labels.ToString();
  for (size_t j = 0; j < series.samples.size(); ++j) {
    row += " " + std::to_string(series.samples[j].value) + "@" +
           std::to_string(series.samples[j].timestamp_ms);
    if (!series.start_timestamps_ms.empty()) {
      row += ">" + std::to_string(series.start_timestamps_ms[j]);
    }
  }
  return row;
}

TEST(MetricsRequest, GoldenBytes) {
  const DecodedWrite got = FromProtobuf(EveryKind());
  EXPECT_TRUE(got.refusals.empty()) << got.refusals.ToString();
  ASSERT_THAT(got.request.series, SizeIs(10));
  EXPECT_EQ(Row(got, 0), R"(power_watts{gpu="0", job="s"} 1.500000@2000)");
  EXPECT_EQ(Row(got, 1), R"(steps_total{gpu="0", job="s"} -2.000000@2000>1000)");
  EXPECT_EQ(Row(got, 2), R"(latency_sum{gpu="0", job="s"} 4.000000@2000>1000)");
  EXPECT_EQ(Row(got, 3), R"(latency_count{gpu="0", job="s"} 3.000000@2000>1000)");
  EXPECT_EQ(Row(got, 4), R"(latency_bucket{gpu="0", job="s", le="0.5"} 1.000000@2000>1000)");
  EXPECT_EQ(Row(got, 5), R"(latency_bucket{gpu="0", job="s", le="+Inf"} 3.000000@2000>1000)");
  EXPECT_EQ(Row(got, 6), R"(size{gpu="0", job="s"})");
  const HistogramSample& sample = got.request.series[6].histograms.at(0);
  EXPECT_EQ(sample.timestamp_ms, 2000);
  EXPECT_EQ(sample.start_timestamp_ms, 1000);
  EXPECT_EQ(sample.histogram->schema, 1);
  EXPECT_EQ(sample.histogram->count, 4);
  EXPECT_EQ(sample.histogram->zero_count, 1);
  EXPECT_EQ(sample.histogram->positive_spans.at(0), (BucketSpan{-1, 2}));
  EXPECT_EQ(Row(got, 7), R"(wait_sum{gpu="0", job="s"} 4.000000@2000>1000)");
  EXPECT_EQ(Row(got, 8), R"(wait_count{gpu="0", job="s"} 5.000000@2000>1000)");
  EXPECT_EQ(Row(got, 9), R"(wait{gpu="0", job="s", quantile="0.5"} 1.500000@2000>1000)");
  ASSERT_THAT(got.exemplars, SizeIs(1));
  const Exemplar& exemplar = got.exemplars[0].exemplars.at(0);
  EXPECT_EQ(exemplar.labels.ToString(), R"({trace_id="01ff"})");
  EXPECT_EQ(exemplar.value, 0.5);
  EXPECT_EQ(exemplar.timestamp_ms, 1000);
  ASSERT_THAT(got.metadata, SizeIs(5));
  EXPECT_EQ(got.metadata[0].metric, "power_watts");
  EXPECT_EQ(got.metadata[0].metadata, (MetricMetadata{"gauge", "Watts drawn.", "watts"}));
}

TEST(MetricsRequest, JsonSaysTheSame) {
  const DecodedWrite first = FromProtobuf(EveryKind());
  const DecodedWrite second = FromJson(kEveryKindInJson);
  EXPECT_EQ(EncodeRemoteWrite(first.request, first.metadata),
            EncodeRemoteWrite(second.request, second.metadata));
  ASSERT_EQ(first.request.series.size(), second.request.series.size());
  for (size_t i = 0; i < first.request.series.size(); ++i) {
    EXPECT_EQ(first.request.series[i].start_timestamps_ms,
              second.request.series[i].start_timestamps_ms);
  }
  ASSERT_THAT(second.exemplars, SizeIs(1));
  EXPECT_EQ(second.exemplars[0].exemplars.at(0).labels.ToString(), R"({trace_id="01ff"})");
}

TEST(MetricsRequest, ValuesOfAttributesAreText) {
  struct Case {
    std::string protobuf;  // an AnyValue message
    std::string json;
    std::string text;
  };
  const std::string list = Field(1, Field(1, "a")) + Field(1, "\x18\x07") + Field(1, "");
  const Case cases[] = {
      {Field(1, "text"), R"({"stringValue": "text"})", "text"},
      {"\x10\x01", R"({"boolValue": true})", "true"},
      {"\x10\x00"s, R"({"boolValue": false})", "false"},
      {"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", R"({"intValue": "-1"})", "-1"},
      {"\x21\x00\x00\x00\x00\x00\x00\xe0\x3f"s, R"({"doubleValue": 0.5})", "0.5"},
      {Field(7, "\xff\xfe\xfd"), R"({"bytesValue": "//79"})", "//79"},
      {Field(5, list), R"({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 7}, {}]}})",
       R"(["a",7,null])"},
      {Field(6, Field(1, StringAttribute("b", "x")) + Field(1, Field(1, "a"))),
       R"({"kvlistValue": {"values": [{"key": "b", "value": {"stringValue": "x"}}, )"
       R"({"key": "a"}]}})",
       R"({"a":null,"b":"x"})"},
      {"", "{}", ""},
  };
  for (const Case& c : cases) {
    const std::string point = Field(7, Field(1, "k") + Field(2, c.protobuf)) + "\x19" + kTwoSeconds;
    const DecodedWrite first =
        FromProtobuf(RequestOf(Field(2, Field(1, "m") + Field(5, Field(1, point)))));
    EXPECT_EQ(first.request.series.at(0).labels.Get("k"), c.text);
    const std::string json =
        R"({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m", "gauge": )"
        R"({"dataPoints": [{"attributes": [{"key": "k", "value": )" +
        c.json + "}]}]}}]}]}]}";
    EXPECT_EQ(FromJson(json).request.series.at(0).labels.Get("k"), c.text);
  }
}

// Each level costs a stack frame.
TEST(MetricsRequest, ValuesInsideValuesEndSomewhere) {
  std::string protobuf = Field(1, "deep");
  std::string json = R"({"stringValue": "deep"})";
  for (int i = 0; i < 1000; ++i) {
    if (protobuf.size() < 0x3f00) protobuf = Field(5, Field(1, protobuf));
    if (i < 300) json = R"({"arrayValue": {"values": [)" + json + "]}}";
  }
  const std::string text = std::string(16, '[') + "null" + std::string(16, ']');
  const std::string point = Field(7, Field(1, "k") + Field(2, protobuf));
  EXPECT_EQ(FromProtobuf(RequestOf(Field(2, Field(1, "m") + Field(5, Field(1, point)))))
                .request.series.at(0)
                .labels.Get("k"),
            text);
  EXPECT_EQ(
      FromJson(R"({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m", "gauge": )"
               R"({"dataPoints": [{"attributes": [{"key": "k", "value": )" +
               json + "}]}]}}]}]}]}")
          .request.series.at(0)
          .labels.Get("k"),
      text);
}

TEST(MetricsRequest, WhatIsNoRequestIsRefused) {
  MetricsDecoder decoder({});
  const auto protobuf = decoder.DecodeProtobuf("junk", {}, nullptr);
  EXPECT_EQ(protobuf.status().code(), absl::StatusCode::kInvalidArgument);
  for (const char* text : {"", "junk", "[]", "{\"a\":", "7", "{\"a\": \"\xff\"}"}) {
    const auto json = decoder.DecodeJson(text, {});
    EXPECT_EQ(json.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(Message(json.status())), HasSubstr("is not an OTLP metrics request"));
  }
  EXPECT_THAT(FromProtobuf("").request.series, SizeIs(0));
  EXPECT_THAT(FromJson("{}").request.series, SizeIs(0));
}

TEST(MetricsRequest, MembersOfOtherTypesAreNone) {
  for (const char* text :
       {R"({"resourceMetrics": 7})", R"({"resourceMetrics": [7, null, {}]})",
        R"({"resourceMetrics": [{"resource": [], "scopeMetrics": {}}]})",
        R"({"resourceMetrics": [{"scopeMetrics": [{"scope": 1, "metrics": [{"name": 7}]}]}]})",
        R"({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "a", "gauge": 1}]}]}]})"}) {
    EXPECT_THAT(FromJson(text).request.series, SizeIs(0)) << text;
  }
}

// Knows the series of one request by their keys, in order, and stores nothing.
class KnownSeries : public Storage {
 public:
  explicit KnownSeries(const WriteRequest& request) {
    for (const SeriesWrite& series : request.series) keys_.push_back(SeriesKeyOf(series.labels));
  }
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = std::ranges::find(keys_, keys[i]);
      refs[i] = found == keys_.end() ? SeriesRef()
                                     : SeriesRef{0, static_cast<uint32_t>(found - keys_.begin())};
    }
  }
  void Write(WriteRequest, WriteCallback) override {}
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return absl::UnimplementedError("no querier");
  }
  StorageStats stats() const override { return {}; }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery&) const override {
    return CardinalityStats();
  }

  void Forget(size_t i) { keys_[i] = SeriesKey(); }

 private:
  std::vector<SeriesKey> keys_;
};

// One row per float, in Row()'s format, known or not, sorted.
std::vector<std::string> Floats(const DecodedWrite& decoded, const WriteRequest& named) {
  std::vector<std::string> rows;
  for (const KnownSample& known : decoded.request.known) {
    DecodedWrite one;
    SeriesWrite& series = one.request.series.emplace_back();
    series.labels = named.series.at(known.series.id).labels;
    series.samples = {known.sample};
    if (known.start_timestamp_ms != 0) series.start_timestamps_ms = {known.start_timestamp_ms};
    rows.push_back(Row(one, 0));
  }
  for (size_t i = 0; i < decoded.request.series.size(); ++i) {
    if (!decoded.request.series[i].samples.empty()) rows.push_back(Row(decoded, i));
  }
  std::ranges::sort(rows);
  return rows;
}

// A gauge, a counter and a histogram with the same attributes, from a resource with a target_info.
std::string PlainRequest() {
  const std::string times = "\x11"s + kOneSecond + "\x19" + kTwoSeconds;
  const std::string gpus[] = {StringAttribute("gpu", "0"), StringAttribute("gpu", "1")};
  std::string gauge, counter, histogram;
  for (const std::string& gpu : gpus) {
    gauge +=
        Field(1, times + "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f"s + Field(7, gpu) + "\x40\x00"s);
    counter += Field(1, times + "\x31\x07\x00\x00\x00\x00\x00\x00\x00"s + Field(7, gpu));
    histogram += Field(1, times + "\x21\x03\x00\x00\x00\x00\x00\x00\x00"s +
                              "\x29\x00\x00\x00\x00\x00\x00\x10\x40"s +
                              Field(6, "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"s) +
                              Field(7, "\x00\x00\x00\x00\x00\x00\xe0\x3f"s) + Field(9, gpu));
  }
  const std::string metrics = Field(2, Field(1, "power") + Field(5, gauge)) +
                              Field(2, Field(1, "steps") + Field(7, counter + "\x10\x02\x18\x01")) +
                              Field(2, Field(1, "latency") + Field(9, histogram + "\x10\x02"));
  const std::string resource = Field(1, Field(1, StringAttribute("service.name", "s")) +
                                            Field(1, StringAttribute("host.name", "h")));
  return Field(1, resource + Field(2, metrics));
}

TEST(MetricsRequest, SeriesThatAreSentAgainAreKnown) {
  MetricsDecoder decoder({});
  const std::string message = PlainRequest();
  const DecodedWrite first = FromProtobuf(message);
  const std::vector<std::string> all = Floats(first, {});
  // Two gauges, two counters, four series per histogram, and the target.
  ASSERT_THAT(all, SizeIs(2 + 2 + 2 * 4 + 1));
  KnownSeries storage(first.request);
  DecodedWrite got = Decoded(decoder.DecodeProtobuf(message, {}, &storage));
  EXPECT_THAT(got.request.known, SizeIs(0));
  EXPECT_EQ(Floats(got, {}), all);

  got = Decoded(decoder.DecodeProtobuf(message, {}, &storage));
  EXPECT_THAT(got.request.series, SizeIs(0));
  EXPECT_THAT(got.metadata, SizeIs(0));
  EXPECT_EQ(Floats(got, first.request), all);
  EXPECT_EQ(got.sample_count, first.sample_count);
  EXPECT_EQ(got.series_count, first.series_count);

  // Series that the store has lost come with their labels again.
  storage.Forget(3);
  got = Decoded(decoder.DecodeProtobuf(message, {}, &storage));
  EXPECT_THAT(got.request.known, SizeIs(0));
  EXPECT_EQ(Floats(got, {}), all);
  EXPECT_THAT(got.metadata, SizeIs(4));
}

TEST(MetricsRequest, WhatIsSpelledOtherwiseIsAnotherSeries) {
  MetricsDecoder decoder({});
  const std::string message = PlainRequest();
  const DecodedWrite first = FromProtobuf(message);
  const KnownSeries storage(first.request);
  Decoded(decoder.DecodeProtobuf(message, {}, &storage));
  for (const std::string_view part : {"power", "steps", "latency", "gpu", "host.name", "s"}) {
    std::string other = message;
    other[other.find(part)] ^= 1;
    const DecodedWrite expected = FromProtobuf(other);
    const DecodedWrite got = Decoded(decoder.DecodeProtobuf(other, {}, &storage));
    EXPECT_EQ(Floats(got, first.request), Floats(expected, {})) << part;
  }
}

TEST(MetricsRequest, TheLimitOfSeriesCountsKnownOnes) {
  MetricsDecoder decoder({});
  const std::string message = PlainRequest();
  const KnownSeries storage(FromProtobuf(message).request);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(decoder.DecodeProtobuf(message, {.max_series_per_request = 13}, &storage).ok());
  }
  EXPECT_EQ(
      decoder.DecodeProtobuf(message, {.max_series_per_request = 12}, &storage).status().code(),
      absl::StatusCode::kOutOfRange);
}

void CheckSound(const absl::StatusOr<DecodedWrite>& decoded) {
  if (!decoded.ok()) return;
  for (const SeriesWrite& series : decoded->request.series) {
    EXPECT_TRUE(LabelSet::FromBytes(series.labels.bytes()).ok());
    EXPECT_TRUE(series.labels.Has(kMetricName));
  }
}

TEST(MetricsRequest, SurvivesCutsAndFlippedBits) {
  MetricsDecoder decoder({});
  for (const bool is_json : {false, true}) {
    const std::string whole = is_json ? std::string(kEveryKindInJson) : EveryKind();
    const auto decode = [&](std::string_view message) {
      return is_json ? decoder.DecodeJson(message, {})
                     : decoder.DecodeProtobuf(message, {}, nullptr);
    };
    for (size_t length = 0; length < whole.size(); ++length) {
      const auto cut = decode(whole.substr(0, length));
      CheckSound(cut);
      EXPECT_TRUE(!is_json || !cut.ok());
    }
    // JSON is long, so flip only one or two varying bits per byte.
    for (size_t bit = 0; bit < whole.size() * 8; bit += is_json ? 5 : 1) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      CheckSound(decode(damaged));
    }
  }
}

}  // namespace
}  // namespace lockstep::otlp
