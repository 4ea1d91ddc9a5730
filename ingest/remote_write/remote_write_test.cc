#include "ingest/remote_write/remote_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <protozero/pbf_writer.hpp>

#include "base/status.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep {
namespace {

using std::string_view_literals::operator""sv;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

void PutLabels(protozero::pbf_writer& series, const std::vector<LabelView>& labels) {
  for (const LabelView& label : labels) {
    protozero::pbf_writer writer(series, 1);
    writer.add_string(1, label.name.data(), label.name.size());
    writer.add_string(2, label.value.data(), label.value.size());
  }
}

void PutSample(protozero::pbf_writer& series, int64_t timestamp_ms, double value) {
  protozero::pbf_writer writer(series, 2);
  writer.add_double(1, value);
  writer.add_int64(2, timestamp_ms);
}

// A request of one-sample series with exactly these labels.
std::string Encode(const std::vector<std::vector<LabelView>>& all_labels) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  for (const auto& labels : all_labels) {
    protozero::pbf_writer series(request, 1);
    PutLabels(series, labels);
    PutSample(series, 1000, 1);
  }
  return bytes;
}

DecodedWrite Decode(std::string_view bytes, const IngestLimits& limits = {}) {
  auto decoded = DecodeRemoteWrite(bytes, limits);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite{};
}

TEST(RemoteWriteTest, GoldenBytes) {
  // Written by hand from the message definitions: {__name__="up", job="x"} with 1.5 at 1000 ms and
  // -2 at -1 ms, then metadata: counter "up", help "h", unit "s".
  constexpr std::string_view bytes =
      "\x0a\x3e"
      "\x0a\x0e\x0a\x08__name__\x12\x02up"
      "\x0a\x08\x0a\x03job\x12\x01x"
      "\x12\x0c\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x10\xe8\x07"
      "\x12\x14\x09\x00\x00\x00\x00\x00\x00\x00\xc0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\x1a\x0c\x08\x01\x12\x02up\x22\x01h\x2a\x01s"sv;
  const DecodedWrite decoded = Decode(bytes);
  ASSERT_THAT(decoded.request.series, SizeIs(1));
  const SeriesWrite& series = decoded.request.series[0];
  EXPECT_EQ(series.labels, LabelSet::Of({{"__name__", "up"}, {"job", "x"}}));
  ASSERT_THAT(series.samples, SizeIs(2));
  EXPECT_EQ(series.samples[0].timestamp_ms, 1000);
  EXPECT_EQ(series.samples[0].value, 1.5);
  EXPECT_EQ(series.samples[1].timestamp_ms, -1);
  EXPECT_EQ(series.samples[1].value, -2);
  ASSERT_THAT(decoded.metadata, SizeIs(1));
  EXPECT_EQ(decoded.metadata[0].metric, "up");
  EXPECT_EQ(decoded.metadata[0].metadata, (MetricMetadata{"counter", "h", "s"}));
}

TEST(RemoteWriteTest, ValuesKeepTheirBits) {
  for (const uint64_t bits :
       {kStaleNanBits, uint64_t{0x7ff8000000000001}, uint64_t{0x7ff4dead0000beef},
        uint64_t{0xfff8000000000000}, uint64_t{0x8000000000000000}}) {
    WriteRequest request;
    request.series.push_back(
        {LabelSet::Of({{"__name__", "a"}}), {{1, std::bit_cast<double>(bits)}}, {}});
    const DecodedWrite decoded = Decode(EncodeRemoteWrite(request));
    EXPECT_EQ(std::bit_cast<uint64_t>(decoded.request.series.at(0).samples.at(0).value), bits);
  }
}

TEST(RemoteWriteTest, SortsLabelsAndLeavesEmptyValuesOut) {
  const DecodedWrite decoded =
      Decode(Encode({{{"job", "x"}, {"empty", ""}, {"__name__", "up"}, {"a", "b"}}}));
  ASSERT_THAT(decoded.request.series, SizeIs(1));
  EXPECT_EQ(decoded.request.series[0].labels.ToString(), R"(up{a="b", job="x"})");
}

TEST(RemoteWriteTest, RefusesBadSeriesAndKeepsTheOthers) {
  const std::string long_text(101, 'x');
  const IngestLimits limits = {
      .max_labels_per_series = 4, .max_label_name_bytes = 100, .max_label_value_bytes = 100};
  struct Case {
    std::vector<LabelView> labels;
    RejectReason reason;
    std::string told;
  };
  const Case cases[] = {
      {{{"job", "x"}}, RejectReason::kNoMetricName, R"({job="x"}: no metric name)"},
      {{{"__name__", ""}, {"job", "x"}}, RejectReason::kNoMetricName, "no metric name"},
      {{}, RejectReason::kNoMetricName, "{}: no metric name"},
      {{{"", "v"}, {"__name__", "up"}}, RejectReason::kEmptyLabelName, "empty label name"},
      {{{"__name__", "up"}, {"a", "1"}, {"a", "2"}},
       RejectReason::kDuplicateLabel,
       R"({__name__="up", a="1", a="2"}: duplicate label name "a")"},
      {{{"__name__", "up"}, {"a", "\xff\xfe"}},
       RejectReason::kInvalidUtf8,
       R"({__name__="up", a="\xff\xfe"}: the value of label "a" is not valid UTF-8)"},
      {{{"__name__", "up"}, {"\xc3", "a"}}, RejectReason::kInvalidUtf8, R"(\xc3)"},
      {{{"__name__", "up"}, {"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}},
       RejectReason::kTooManyLabels,
       "5 labels exceed the limit of 4"},
      {{{"__name__", "up"}, {"a", long_text}},
       RejectReason::kLabelTooLong,
       "a label value of 101 bytes is longer than the limit of 100"},
      {{{"__name__", "up"}, {long_text, "a"}},
       RejectReason::kLabelTooLong,
       "a label name of 101 bytes is longer than the limit of 100"},
  };
  for (const Case& c : cases) {
    const DecodedWrite decoded =
        Decode(Encode({{{"__name__", "before"}}, c.labels, {{"__name__", "after"}}}), limits);
    ASSERT_THAT(decoded.request.series, SizeIs(2)) << c.told;
    EXPECT_EQ(decoded.request.series[0].labels.metric_name(), "before");
    EXPECT_EQ(decoded.request.series[1].labels.metric_name(), "after");
    EXPECT_EQ(decoded.refusals.count(), 1u);
    EXPECT_EQ(decoded.refusals.samples_by_reason()[static_cast<size_t>(c.reason)], 1u) << c.told;
    EXPECT_THAT(decoded.refusals.ToString(), HasSubstr(c.told));
    EXPECT_TRUE(IsValidUtf8(decoded.refusals.ToString()));
    EXPECT_EQ(decoded.sample_count, 3u);
  }
}

TEST(RemoteWriteTest, ABadHistogramLeavesTheRestOfItsSeries) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  {
    protozero::pbf_writer series(request, 1);
    {
      protozero::pbf_writer histogram(series, 4);
      histogram.add_uint64(1, 3);  // three observations, but no bucket
    }
    PutSample(series, 1000, 7);
    // Labels may come after the samples.
    PutLabels(series, {{"__name__", "latency"}});
  }
  const DecodedWrite decoded = Decode(bytes);
  ASSERT_THAT(decoded.request.series, SizeIs(1));
  EXPECT_THAT(decoded.request.series[0].samples, SizeIs(1));
  EXPECT_THAT(decoded.request.series[0].histograms, IsEmpty());
  EXPECT_EQ(decoded.histogram_count, 1u);
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr(R"({__name__="latency"}: 0 observations)"));
}

TEST(RemoteWriteTest, ReadsExemplarsAndSkipsUnknownFields) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  request.add_string(2, "reserved");
  request.add_uint64(1, 5);  // field 1 with another wire type
  {
    protozero::pbf_writer series(request, 1);
    PutLabels(series, {{"__name__", "a"}});
    PutSample(series, 1, 1);
    // {trace_id="t"} with 0.5 at 7 ms, and an exemplar without fields.
    series.add_string(
        3, "\x0a\x0d\x0a\x08trace_id\x12\x01t\x11\x00\x00\x00\x00\x00\x00\xe0\x3f\x18\x07"sv);
    series.add_string(3, "");
    series.add_string(77, "from the future");
  }
  const DecodedWrite decoded = Decode(bytes);
  EXPECT_THAT(decoded.request.series, SizeIs(1));
  EXPECT_EQ(decoded.exemplar_count, 2u);
  ASSERT_THAT(decoded.exemplars, SizeIs(1));
  EXPECT_EQ(decoded.exemplars[0].series.ToString(), "a");
  ASSERT_THAT(decoded.exemplars[0].exemplars, SizeIs(2));
  const Exemplar& exemplar = decoded.exemplars[0].exemplars[0];
  EXPECT_EQ(exemplar.labels, LabelSet::Of({{"trace_id", "t"}}));
  EXPECT_EQ(exemplar.value, 0.5);
  EXPECT_EQ(exemplar.timestamp_ms, 7);
}

TEST(RemoteWriteTest, ToldRefusalsAreBounded) {
  std::vector<std::vector<LabelView>> bad(1000, {{"job", "x"}});
  const DecodedWrite decoded = Decode(Encode(bad));
  EXPECT_EQ(decoded.refusals.count(), 1000u);
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("1000 samples were not stored"));
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("... and 980 more\n"));
  EXPECT_LT(decoded.refusals.ToString().size(), 4000u);
}

TEST(RemoteWriteTest, TooManySeriesRefuseTheRequest) {
  const std::string bytes = Encode({{{"__name__", "a"}}, {{"__name__", "b"}}});
  EXPECT_TRUE(DecodeRemoteWrite(bytes, {.max_series_per_request = 2}).ok());
  EXPECT_EQ(DecodeRemoteWrite(bytes, {.max_series_per_request = 1}).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(RemoteWriteTest, EncoderRoundTrips) {
  const WriteRequest sent = SampleRequest();
  const DecodedWrite got = Decode(EncodeRemoteWrite(sent, {{"up", {"gauge", "help", "ratio"}}}));
  ASSERT_EQ(got.request.series.size(), sent.series.size());
  EXPECT_TRUE(got.refusals.empty());
  for (size_t i = 0; i < sent.series.size(); ++i) {
    EXPECT_EQ(got.request.series[i].labels, sent.series[i].labels);
    ASSERT_EQ(got.request.series[i].samples.size(), sent.series[i].samples.size());
    ASSERT_EQ(got.request.series[i].histograms.size(), sent.series[i].histograms.size());
  }
  const Histogram& a = *sent.series[1].histograms[0].histogram;
  const Histogram& b = *got.request.series[1].histograms[0].histogram;
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.zero_threshold, b.zero_threshold);
  EXPECT_EQ(a.zero_count, b.zero_count);
  EXPECT_EQ(a.reset_hint, b.reset_hint);
  EXPECT_EQ(a.positive_spans, b.positive_spans);
  EXPECT_EQ(a.positive_counts, b.positive_counts);
  EXPECT_EQ(a.negative_spans, b.negative_spans);
  EXPECT_EQ(a.negative_counts, b.negative_counts);
  ASSERT_THAT(got.metadata, SizeIs(1));
  EXPECT_EQ(got.metadata[0].metadata, (MetricMetadata{"gauge", "help", "ratio"}));
}

TEST(RemoteWriteTest, SamplesOfKnownSeriesGoByTheirNumber) {
  WriteRequest sent = SampleRequest();
  sent.series.push_back({LabelSet::Of({{"__name__", "up"}, {"job", "y"}}), {{5, 2}}, {}});
  sent.series.push_back({LabelSet::Of({{"__name__", "up"}, {"job", "x"}}), {{6, 3}}, {}});
  const KnowsOne storage(sent.series[0].labels);
  const auto got = DecodeRemoteWrite(EncodeRemoteWrite(sent), {}, &storage);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->sample_count, 4u);
  EXPECT_EQ(got->histogram_count, 1u);
  ASSERT_THAT(got->request.series, SizeIs(2));
  EXPECT_EQ(got->request.series[1].labels, sent.series[2].labels);
  EXPECT_EQ(got->request.series[1].samples.at(0).timestamp_ms, 5);
  ASSERT_THAT(got->request.known, SizeIs(3));
  for (const KnownSample& known : got->request.known) {
    EXPECT_EQ(known.series.shard, storage.kRef.shard);
    EXPECT_EQ(known.series.id, storage.kRef.id);
  }
  EXPECT_EQ(got->request.known[0].sample.value, 1.5);
  EXPECT_EQ(got->request.known[1].sample.timestamp_ms, 1700000015000);
  EXPECT_EQ(got->request.known[2].sample.timestamp_ms, 6);
}

// Labels in another order are the same series, found by decoding them.
TEST(RemoteWriteTest, OddFormsOfKnownSeriesGoByTheirLabels) {
  const KnowsOne storage(LabelSet::Of({{"__name__", "up"}, {"job", "x"}}));
  const auto got = DecodeRemoteWrite(Encode({{{"job", "x"}, {"__name__", "up"}},
                                             {{"__name__", "up"}, {"empty", ""}, {"job", "x"}}}),
                                     {}, &storage);
  ASSERT_TRUE(got.ok());
  EXPECT_THAT(got->request.known, IsEmpty());
  ASSERT_THAT(got->request.series, SizeIs(2));
  EXPECT_EQ(got->request.series[0].labels, got->request.series[1].labels);
}

// Truncation between two fields may leave a shorter valid request; inside a field it must be
// refused. It must never crash.
TEST(RemoteWriteTest, EveryTruncationIsDecodedOrRefused) {
  const std::string whole = EncodeRemoteWrite(SampleRequest());
  size_t refused = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto decoded = DecodeRemoteWrite(whole.substr(0, length), {});
    if (!decoded.ok()) {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
      ++refused;
    }
  }
  // Only the empty request and the one with just the first series are valid.
  EXPECT_EQ(refused, whole.size() - 2);
}

TEST(RemoteWriteTest, SurvivesFlippedBits) {
  const std::string whole = EncodeRemoteWrite(SampleRequest());
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto decoded = DecodeRemoteWrite(damaged, {});
    if (!decoded.ok()) continue;
    for (const SeriesWrite& series : decoded->request.series) {
      EXPECT_FALSE(series.labels.metric_name().empty());
      EXPECT_THAT(std::string(series.labels.bytes()), Not(IsEmpty()));
    }
  }
}

TEST(RemoteWriteTest, LabelsOverTheLimitAreNotAllRead) {
  std::vector<LabelView> labels = {{"__name__", "up"}};
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  for (const std::string& name : names) labels.push_back({name, "x"});
  const DecodedWrite decoded = Decode(Encode({labels}), {.max_labels_per_series = 3});
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("4 labels exceed the limit of 3"));
}

TEST(RemoteWriteTest, ErrorsNameTheLimit) {
  const std::string bytes = Encode({{{"__name__", "a"}}, {{"__name__", "b"}}});
  EXPECT_EQ(Message(DecodeRemoteWrite(bytes, {.max_series_per_request = 1}).status()),
            "the request has more series than the limit of 1");
  EXPECT_THAT(std::string(Message(DecodeRemoteWrite("junk", {}).status())),
              HasSubstr("the body is not a remote write request: "));
}

TEST(RemoteWriteTest, MetadataThatIsTooLongOrNotTextIsLeftOut) {
  const auto count = [](const MetadataEntry& entry) {
    return Decode(EncodeRemoteWrite({}, {entry}), {.max_metadata_bytes = 20}).metadata.size();
  };
  // Tags, lengths and the type take eight bytes, with an empty unit.
  EXPECT_EQ(count({"up", {"gauge", std::string(10, 'x'), ""}}), 1u);
  EXPECT_EQ(count({"up", {"gauge", std::string(11, 'x'), ""}}), 0u);
  EXPECT_EQ(count({"up", {"gauge", "\xff", ""}}), 0u);
  EXPECT_EQ(count({"", {"gauge", "x", ""}}), 0u);
}

TEST(RemoteWriteTest, MetadataMayBeEmptyButForTheName) {
  // Metadata of "up" without a type.
  const DecodedWrite decoded = Decode("\x1a\x04\x12\x02up"sv);
  ASSERT_THAT(decoded.metadata, SizeIs(1));
  EXPECT_EQ(decoded.metadata[0].metadata, (MetricMetadata{"unknown", "", ""}));
}

TEST(RemoteWriteTest, ExemplarsAreLimitedInNumberAndLength) {
  const auto decode = [](size_t count, size_t text_bytes, size_t max_exemplars) {
    std::string bytes;
    protozero::pbf_writer request(bytes);
    {
      protozero::pbf_writer series(request, 1);
      PutLabels(series, {{"__name__", "a"}});
      for (size_t i = 0; i < count; ++i) {
        protozero::pbf_writer exemplar(series, 3);
        protozero::pbf_writer label(exemplar, 1);
        label.add_string(1, "a");
        label.add_string(2, std::string(text_bytes, 'x'));
      }
    }
    const DecodedWrite decoded = Decode(bytes, {.max_exemplars_per_request = max_exemplars});
    EXPECT_EQ(decoded.exemplar_count, count);
    return decoded.exemplars.empty() ? 0 : decoded.exemplars[0].exemplars.size();
  };
  EXPECT_EQ(decode(3, 5, 2), 2u);
  EXPECT_EQ(decode(2, 5, 2), 2u);
  // 4 KiB with its tags and lengths: "0a NN NN 0a 01 a 12 NN NN".
  EXPECT_EQ(decode(1, 4096 - 9, 2), 1u);
  EXPECT_EQ(decode(1, 4096 - 8, 2), 0u);
}

}  // namespace
}  // namespace lockstep
