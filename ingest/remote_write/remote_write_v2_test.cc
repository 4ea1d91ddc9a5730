#include "ingest/remote_write/remote_write_v2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/status.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "ingest/remote_write/remote_write_v2_testing.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep {
namespace {

using std::string_view_literals::operator""sv;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

DecodedWrite DecodeV2(std::string_view bytes, const Storage* storage = nullptr) {
  auto decoded = DecodeRemoteWriteV2(bytes, {}, storage);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite{};
}

// A request with one series with these references and one sample.
std::string WithReferences(const std::vector<std::string_view>& symbols,
                           const std::vector<uint32_t>& references) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  for (const std::string_view symbol : symbols) {
    request.add_string(4, symbol.data(), symbol.size());
  }
  protozero::pbf_writer series(request, 5);
  series.add_packed_uint32(1, references.begin(), references.end());
  protozero::pbf_writer sample(series, 2);
  sample.add_double(1, 1);
  sample.add_int64(2, 1000);
  return bytes;
}

TEST(RemoteWriteV2, GoldenBytes) {
  // Written by hand from the message definitions: {__name__="up", job="x"} with 1.5 at 1000 ms and
  // start 900 ms, and -2 at -1 ms; counter, help "h", unit "s".
  constexpr std::string_view bytes =
      "\x22\x00"
      "\x22\x08__name__"
      "\x22\x02up"
      "\x22\x03job"
      "\x22\x01x"
      "\x22\x01h"
      "\x22\x01s"
      "\x2a\x35"
      "\x0a\x04\x01\x02\x03\x04"
      "\x12\x0f\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x10\xe8\x07\x18\x84\x07"
      "\x12\x14\x09\x00\x00\x00\x00\x00\x00\x00\xc0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\x2a\x06\x08\x01\x18\x05\x20\x06"sv;
  const DecodedWrite decoded = DecodeV2(bytes);
  ASSERT_THAT(decoded.request.series, SizeIs(1));
  const SeriesWrite& series = decoded.request.series[0];
  EXPECT_EQ(series.labels, LabelSet::Of({{"__name__", "up"}, {"job", "x"}}));
  ASSERT_THAT(series.samples, SizeIs(2));
  EXPECT_EQ(series.samples[0].timestamp_ms, 1000);
  EXPECT_EQ(series.samples[0].value, 1.5);
  EXPECT_EQ(series.samples[1].timestamp_ms, -1);
  EXPECT_EQ(series.samples[1].value, -2);
  EXPECT_THAT(series.start_timestamps_ms, ElementsAre(900, 0));
  ASSERT_THAT(decoded.metadata, SizeIs(1));
  EXPECT_EQ(decoded.metadata[0].metric, "up");
  EXPECT_EQ(decoded.metadata[0].metadata, (MetricMetadata{"counter", "h", "s"}));
}

TEST(RemoteWriteV2, HoldsWhatVersion1Holds) {
  const WriteRequest sent = SampleRequest();
  const std::vector<MetadataEntry> metadata = {{"up", {"gauge", "help", "ratio"}}};
  const DecodedWrite second = DecodeV2(EncodeRemoteWriteV2(sent, metadata));
  const auto first = DecodeRemoteWrite(EncodeRemoteWrite(sent, metadata), {});
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(second.refusals.empty());
  EXPECT_EQ(EncodeRemoteWrite(second.request, second.metadata),
            EncodeRemoteWrite(first->request, first->metadata));
  EXPECT_EQ(second.series_count, first->series_count);
  EXPECT_EQ(second.sample_count, first->sample_count);
  EXPECT_EQ(second.histogram_count, first->histogram_count);
}

TEST(RemoteWriteV2, ValuesKeepTheirBits) {
  for (const uint64_t bits : {kStaleNanBits, uint64_t{0x7ff4dead0000beef},
                              uint64_t{0xfff8000000000000}, uint64_t{0x8000000000000000}}) {
    WriteRequest request;
    request.series.push_back(
        {LabelSet::Of({{"__name__", "a"}}), {{1, std::bit_cast<double>(bits)}}, {}});
    const DecodedWrite decoded = DecodeV2(EncodeRemoteWriteV2(request));
    EXPECT_EQ(std::bit_cast<uint64_t>(decoded.request.series.at(0).samples.at(0).value), bits);
  }
}

TEST(RemoteWriteV2, SamplesOfKnownSeriesGoByTheirNumber) {
  WriteRequest sent = SampleRequest();
  // A label longer than one copy, and a value shared by two labels.
  const std::string long_text(300, 'l');
  sent.series[0].labels = LabelSet::Of(
      {{"__name__", "up"}, {"again", "v"}, {"empty_" + long_text, "v"}, {"job", long_text}});
  sent.series.push_back({LabelSet::Of({{"__name__", "up"}, {"job", "y"}}), {{5, 2}}, {}});
  const KnowsOne storage(sent.series[0].labels);
  const DecodedWrite got = DecodeV2(EncodeRemoteWriteV2(sent), &storage);
  EXPECT_EQ(got.sample_count, 3u);
  EXPECT_EQ(got.histogram_count, 1u);
  ASSERT_THAT(got.request.series, SizeIs(2));
  ASSERT_THAT(got.request.known, SizeIs(2));
  EXPECT_EQ(got.request.known[0].series.id, storage.kRef.id);
  EXPECT_EQ(got.request.known[0].sample.value, 1.5);
  EXPECT_EQ(got.request.known[1].sample.timestamp_ms, 1700000015000);
}

// Start timestamps are stored, which needs the labels.
TEST(RemoteWriteV2, SamplesWithStartTimestampsGoByTheirLabels) {
  WriteRequest sent = SampleRequest();
  sent.series[0].start_timestamps_ms = {0, 17};
  const KnowsOne storage(sent.series[0].labels);
  const DecodedWrite got = DecodeV2(EncodeRemoteWriteV2(sent), &storage);
  EXPECT_THAT(got.request.known, IsEmpty());
  EXPECT_THAT(got.request.series.at(0).start_timestamps_ms, ElementsAre(0, 17));
}

TEST(RemoteWriteV2, ACreatedTimestampIsTheStartOfAllWithoutOne) {
  std::string bytes = EncodeRemoteWriteV2(SampleRequest());
  // After each of the two series: field 6, as in the first release candidates.
  std::string created;
  protozero::pbf_reader reader(bytes);
  protozero::pbf_writer request(created);
  while (reader.next()) {
    const uint32_t tag = reader.tag();
    std::string field = reader.get_string();
    if (tag == 5) protozero::pbf_writer(field).add_int64(6, 77);
    request.add_bytes(tag, field);
  }
  const DecodedWrite got = DecodeV2(created);
  ASSERT_THAT(got.request.series, SizeIs(2));
  EXPECT_THAT(got.request.series[0].start_timestamps_ms, ElementsAre(77, 77));
  EXPECT_EQ(got.request.series[1].histograms.at(0).start_timestamp_ms, 77);
}

TEST(RemoteWriteV2, RefusesBadSeriesAndSaysWhy) {
  struct Case {
    std::vector<uint32_t> references;
    RejectReason reason;
    std::string told;
  };
  const std::vector<std::string_view> symbols = {"", "__name__", "up", "job", "\xff"};
  const Case cases[] = {
      {{1, 2, 3}, RejectReason::kBadReference, "a label is not in the symbols"},
      {{1, 5}, RejectReason::kBadReference, "a label is not in the symbols"},
      {{3, 2}, RejectReason::kNoMetricName, "no metric name"},
      {{1, 2, 1, 3}, RejectReason::kDuplicateLabel, "duplicate label name"},
      {{3, 2, 1, 2}, RejectReason::kUnsortedLabels, "label names are not in order"},
      {{1, 2, 3, 2, 1, 2}, RejectReason::kUnsortedLabels, "label names are not in order"},
      {{1, 2, 3, 0}, RejectReason::kEmptyLabelValue, "a label value is empty"},
      {{0, 2, 1, 2}, RejectReason::kEmptyLabelName, "empty label name"},
      {{1, 2, 3, 4}, RejectReason::kInvalidUtf8, "not valid UTF-8"},
      {{}, RejectReason::kNoMetricName, "no metric name"},
  };
  for (const Case& c : cases) {
    const KnowsOne storage(LabelSet::Of({{"__name__", "other"}}));
    for (const Storage* known :
         {static_cast<const Storage*>(nullptr), static_cast<const Storage*>(&storage)}) {
      const DecodedWrite got = DecodeV2(WithReferences(symbols, c.references), known);
      EXPECT_THAT(got.request.series, IsEmpty()) << c.told;
      EXPECT_EQ(got.refusals.samples_by_reason()[static_cast<size_t>(c.reason)], 1u) << c.told;
      EXPECT_THAT(got.refusals.ToString(), HasSubstr(c.told));
      EXPECT_EQ(got.sample_count, 1u);
    }
  }
}

TEST(RemoteWriteV2, ASeriesMayBringExemplarsAlone) {
  const SeriesExemplars sent = {LabelSet::Of({{"__name__", "up"}}),
                                {{LabelSet::Of({{"trace_id", "a"}}), 0.5, 1000}, {{}, -1, 2000}}};
  const DecodedWrite got = DecodeV2(EncodeRemoteWriteV2({}, {}, {sent}));
  EXPECT_TRUE(got.refusals.empty());
  EXPECT_THAT(got.request.series, IsEmpty());
  EXPECT_EQ(got.exemplar_count, 2u);
  ASSERT_THAT(got.exemplars, SizeIs(1));
  EXPECT_EQ(got.exemplars[0].series, sent.series);
  ASSERT_THAT(got.exemplars[0].exemplars, SizeIs(2));
  EXPECT_EQ(got.exemplars[0].exemplars[0].labels, sent.exemplars[0].labels);
  EXPECT_EQ(got.exemplars[0].exemplars[0].value, 0.5);
  EXPECT_EQ(got.exemplars[0].exemplars[1].timestamp_ms, 2000);
}

TEST(RemoteWriteV2, ExemplarsThatAreNotTakenAreTold) {
  // {__name__="up"} with one exemplar whose label is not in the symbols, and a valid one.
  constexpr std::string_view bytes =
      "\x22\x00"
      "\x22\x08__name__"
      "\x22\x02up"
      "\x2a\x10"
      "\x0a\x02\x01\x02"
      "\x22\x06\x0a\x02\x01\x07\x18\x01"
      "\x22\x02\x18\x02"sv;
  const DecodedWrite got = DecodeV2(bytes);
  EXPECT_EQ(got.exemplar_count, 2u);
  ASSERT_THAT(got.exemplars, SizeIs(1));
  EXPECT_THAT(got.exemplars[0].exemplars, SizeIs(1));
  EXPECT_THAT(got.refusals.ToString(), HasSubstr("an exemplar's label is not in the symbols"));

  const auto limited = DecodeRemoteWriteV2(bytes, {.max_exemplars_per_request = 0}, nullptr);
  ASSERT_TRUE(limited.ok()) << limited.status();
  EXPECT_EQ(limited->exemplar_count, 2u);
  EXPECT_THAT(limited->exemplars, IsEmpty());
  EXPECT_THAT(limited->refusals.ToString(), HasSubstr("more exemplars than the limit"));
}

TEST(RemoteWriteV2, SymbolsMayComeLast) {
  const std::string bytes = EncodeRemoteWriteV2(SampleRequest());
  std::string symbols, series;
  protozero::pbf_writer symbol_writer(symbols), series_writer(series);
  protozero::pbf_reader reader(bytes);
  while (reader.next()) {
    const uint32_t tag = reader.tag();
    (tag == 4 ? symbol_writer : series_writer).add_bytes(tag, reader.get_string());
  }
  EXPECT_EQ(EncodeRemoteWriteV2(DecodeV2(series + symbols).request), bytes);
}

TEST(RemoteWriteV2, WhatIsNoRequestIsRefused) {
  EXPECT_EQ(DecodeRemoteWriteV2("junk", {}).status().code(), absl::StatusCode::kInvalidArgument);
  const IngestLimits limits = {.max_series_per_request = 1};
  EXPECT_EQ(DecodeRemoteWriteV2(EncodeRemoteWriteV2(SampleRequest()), limits).status().code(),
            absl::StatusCode::kOutOfRange);
  // The 1.0 message has no field in common with this one.
  const DecodedWrite got = DecodeV2(EncodeRemoteWrite(SampleRequest()));
  EXPECT_EQ(got.series_count, 0u);
}

// A one-byte reference may stand for a text of any length.
TEST(RemoteWriteV2, TextsThatAreNamedAgainAndAgainAreBounded) {
  const std::string text(60, 'x');
  const std::string once = WithReferences({"", "__name__", text}, {1, 2});
  const KnowsOne storage(LabelSet::Of({{"__name__", "other"}}));
  const IngestLimits limits = {.max_label_bytes_per_request = 100};
  for (const Storage* known :
       {static_cast<const Storage*>(nullptr), static_cast<const Storage*>(&storage)}) {
    EXPECT_EQ(DecodeRemoteWriteV2(once + once + once, limits, known).status().code(),
              absl::StatusCode::kOutOfRange);
  }
  EXPECT_TRUE(DecodeRemoteWriteV2(once, limits).ok());
  // Very long texts are not expanded for the store lookup.
  const std::string long_text(5000, 'x');
  const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"job", long_text}});
  const KnowsOne knows(labels);
  WriteRequest request;
  request.series.push_back({labels, {{1, 2}}, {}});
  const DecodedWrite got =
      *DecodeRemoteWriteV2(EncodeRemoteWriteV2(request), {.max_label_value_bytes = 5000}, &knows);
  EXPECT_THAT(got.request.known, IsEmpty());
  EXPECT_EQ(got.request.series.at(0).labels, labels);
}

TEST(RemoteWriteV2, SurvivesCutsAndFlippedBits) {
  WriteRequest request = SampleRequest();
  request.series[0].start_timestamps_ms = {5, 0};
  const std::string whole = EncodeRemoteWriteV2(request, {{"up", {"gauge", "help", "ratio"}}});
  const KnowsOne storage(LabelSet::Of({{"__name__", "up"}, {"job", "x"}}));
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    (void)DecodeRemoteWriteV2(cut, {}, &storage);
  }
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto decoded = DecodeRemoteWriteV2(damaged, {}, &storage);
    if (!decoded.ok()) continue;
    for (const SeriesWrite& series : decoded->request.series) {
      EXPECT_TRUE(LabelSet::FromBytes(series.labels.bytes()).ok());
    }
  }
}

// The decoder reads one series into the memory of the one before.
TEST(RemoteWriteV2, NothingOfASeriesIsInTheNext) {
  WriteRequest sent = SampleRequest();
  sent.series[0].start_timestamps_ms = {5, 6};
  sent.series.push_back({LabelSet::Of({{"__name__", "bare"}}), {{1700000000000, 7}}, {}});
  // The first series also gets an exemplar, its metadata and, as 6, when it was created.
  std::string bytes;
  protozero::pbf_writer request(bytes);
  const std::string encoded = EncodeRemoteWriteV2(sent);
  protozero::pbf_reader reader(encoded);
  bool is_first = true;
  while (reader.next()) {
    const uint32_t tag = reader.tag();
    std::string field = reader.get_string();
    if (tag == 5 && std::exchange(is_first, false)) {
      protozero::pbf_writer series(field);
      protozero::pbf_writer(series, 4).add_int64(3, 9);
      protozero::pbf_writer(series, 5).add_enum(1, 1);
      series.add_int64(6, 77);
    }
    request.add_bytes(tag, field);
  }
  const DecodedWrite got = DecodeV2(bytes);
  ASSERT_THAT(got.request.series, SizeIs(3));
  EXPECT_THAT(got.request.series[0].start_timestamps_ms, ElementsAre(5, 6));
  const SeriesWrite& histogram = got.request.series[1];
  EXPECT_THAT(histogram.samples, IsEmpty());
  ASSERT_THAT(histogram.histograms, SizeIs(1));
  EXPECT_EQ(histogram.histograms[0].start_timestamp_ms, 0);
  const SeriesWrite& bare = got.request.series[2];
  EXPECT_EQ(bare.labels.ToString(), "bare");
  ASSERT_THAT(bare.samples, SizeIs(1));
  EXPECT_EQ(bare.samples[0].value, 7);
  EXPECT_THAT(bare.start_timestamps_ms, IsEmpty());
  EXPECT_THAT(bare.histograms, IsEmpty());
  EXPECT_EQ(got.exemplar_count, 1u);
  EXPECT_THAT(got.metadata, SizeIs(1));
}

TEST(RemoteWriteV2, ErrorsNameTheLimit) {
  const IngestLimits limits = {.max_series_per_request = 1};
  EXPECT_EQ(Message(DecodeRemoteWriteV2(EncodeRemoteWriteV2(SampleRequest()), limits).status()),
            "the request has more series than the limit of 1");
  EXPECT_THAT(std::string(Message(DecodeRemoteWriteV2("junk", {}).status())),
              HasSubstr("the body is not a remote write 2.0 request: "));
}

TEST(RemoteWriteV2, SoManyLabelsAndNoMore) {
  const std::string bytes = WithReferences({"", "__name__", "up", "job"}, {1, 2, 3, 2});
  EXPECT_THAT(DecodeRemoteWriteV2(bytes, {.max_labels_per_series = 2})->request.series, SizeIs(1));
  const KnowsOne storage(LabelSet::Of({{"__name__", "up"}, {"job", "up"}}));
  for (const Storage* known :
       {static_cast<const Storage*>(nullptr), static_cast<const Storage*>(&storage)}) {
    const auto got = DecodeRemoteWriteV2(bytes, {.max_labels_per_series = 1}, known);
    ASSERT_TRUE(got.ok());
    EXPECT_THAT(got->request.series, IsEmpty());
    EXPECT_THAT(got->request.known, IsEmpty());
    EXPECT_THAT(got->refusals.ToString(), HasSubstr("{}: 2 labels exceed the limit of 1"));
    EXPECT_EQ(got->sample_count, 1u);
  }
}

// {__name__="up"} with 1 at 1 ms, and the metadata `type`, `help` and `unit`.
std::string WithMetadata(int32_t type, uint32_t help, uint32_t unit) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  for (const char* symbol : {"", "__name__", "up", "h"}) request.add_string(4, symbol);
  protozero::pbf_writer series(request, 5);
  const std::vector<uint32_t> references = {1, 2};
  series.add_packed_uint32(1, references.begin(), references.end());
  {
    protozero::pbf_writer sample(series, 2);
    sample.add_double(1, 1);
    sample.add_int64(2, 1);
  }
  protozero::pbf_writer metadata(series, 5);
  metadata.add_enum(1, type);
  metadata.add_uint32(3, help);
  metadata.add_uint32(4, unit);
  return bytes;
}

TEST(RemoteWriteV2, TextsOfMetadataAreInTheSymbols) {
  const KnowsOne storage(LabelSet::Of({{"__name__", "up"}}));
  for (const Storage* known :
       {static_cast<const Storage*>(nullptr), static_cast<const Storage*>(&storage)}) {
    const DecodedWrite good = DecodeV2(WithMetadata(2, 3, 0), known);
    ASSERT_THAT(good.metadata, SizeIs(1));
    EXPECT_EQ(good.metadata[0].metadata, (MetricMetadata{"gauge", "h", ""}));
    for (const auto& [help, unit] : {std::pair{4, 0}, {0, 4}}) {
      const DecodedWrite bad = DecodeV2(
          WithMetadata(2, static_cast<uint32_t>(help), static_cast<uint32_t>(unit)), known);
      EXPECT_THAT(bad.metadata, IsEmpty());
      EXPECT_THAT(bad.request.series, IsEmpty());
      EXPECT_THAT(bad.refusals.ToString(),
                  HasSubstr("{__name__=\"up\"}: help or unit is not in the symbols"));
    }
    // Without type, help and unit there is nothing to keep.
    EXPECT_THAT(DecodeV2(WithMetadata(0, 0, 0), known).metadata, IsEmpty());
  }
}

TEST(RemoteWriteV2, MetadataThatIsTooLongIsLeftOut) {
  const std::string bytes = WithMetadata(2, 3, 0);
  const size_t bytes_besides_texts = 2 * sizeof(MetadataEntry);
  EXPECT_THAT(DecodeRemoteWriteV2(bytes, {.max_metadata_bytes = bytes_besides_texts + 3})->metadata,
              SizeIs(1));
  EXPECT_THAT(DecodeRemoteWriteV2(bytes, {.max_metadata_bytes = bytes_besides_texts + 2})->metadata,
              IsEmpty());
}

TEST(RemoteWriteV2, ExemplarsAreLimitedInNumberAndLength) {
  const LabelSet up = LabelSet::Of({{"__name__", "up"}});
  const SeriesExemplars sent = {
      up,
      {{LabelSet::Of({{"id", "12345678"}}), 1, 1}, {LabelSet::Of({{"id", "123456789"}}), 1, 2}}};
  const std::string bytes = EncodeRemoteWriteV2({}, {}, {sent});
  const auto length = DecodeRemoteWriteV2(bytes, {.max_exemplar_label_bytes = 10});
  ASSERT_TRUE(length.ok());
  EXPECT_THAT(length->exemplars.at(0).exemplars, SizeIs(1));
  EXPECT_THAT(length->refusals.ToString(),
              HasSubstr("{__name__=\"up\"}: an exemplar's labels are too long"));
  const auto number = DecodeRemoteWriteV2(bytes, {.max_exemplars_per_request = 1});
  ASSERT_TRUE(number.ok());
  EXPECT_THAT(number->exemplars.at(0).exemplars, SizeIs(1));
  EXPECT_THAT(number->refusals.ToString(),
              HasSubstr("{__name__=\"up\"}: the request has more exemplars than the limit"));
  EXPECT_TRUE(DecodeRemoteWriteV2(bytes, {.max_exemplars_per_request = 2})->refusals.empty());
}

TEST(RemoteWriteV2, ReferencesMayBeUnpacked) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  for (const char* symbol : {"", "__name__", "up", "id"}) request.add_string(4, symbol);
  {
    protozero::pbf_writer series(request, 5);
    series.add_uint32(1, 1);
    series.add_uint32(1, 2);
    protozero::pbf_writer(series, 2).add_int64(2, 5);
    protozero::pbf_writer exemplar(series, 4);
    exemplar.add_uint32(1, 3);
    exemplar.add_uint32(1, 2);
    exemplar.add_string(99, "from the future");
  }
  const DecodedWrite got = DecodeV2(bytes);
  ASSERT_THAT(got.request.series, SizeIs(1));
  EXPECT_EQ(got.request.series[0].labels.ToString(), "up");
  ASSERT_THAT(got.exemplars, SizeIs(1));
  EXPECT_EQ(got.exemplars[0].exemplars.at(0).labels, LabelSet::Of({{"id", "up"}}));
}

}  // namespace
}  // namespace lockstep
