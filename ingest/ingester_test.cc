#include "ingest/ingester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "ingest/remote_write/remote_write_v2.h"
#include "ingest/remote_write/remote_write_v2_testing.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string Compressed(const std::string& message) {
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

std::string Body(const std::vector<std::string>& metric_names) {
  WriteRequest request;
  for (const std::string& name : metric_names) {
    request.series.push_back({LabelSet::Of({{"__name__", name}, {"job", "x"}}), {{1000, 1}}, {}});
  }
  return Compressed(EncodeRemoteWrite(request, {{"up", {"gauge", "help", ""}}}));
}

class IngesterTest : public testing::Test {
 protected:
  absl::StatusOr<WriteSummary> Push(std::string_view body,
                                    DecodeMessage decode = DecodeRemoteWrite) {
    std::optional<absl::StatusOr<WriteSummary>> answer;
    ingester_.Write({}, BodyEncoding::kSnappy, body, decode,
                    [&](absl::StatusOr<WriteSummary> result) {
                      EXPECT_FALSE(answer.has_value());
                      answer = std::move(result);
                    });
    EXPECT_TRUE(answer.has_value());
    return *std::move(answer);
  }

  FakeStorage storage_;
  Ingester ingester_{storage_, {.max_body_bytes = 2000}};
};

TEST_F(IngesterTest, HandsSeriesToTheStoreAndCounts) {
  const std::string body = Body({"up", "down"});
  const auto summary = Push(body);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_TRUE(summary->refusals.empty());
  EXPECT_EQ(summary->samples_written, 2u);
  EXPECT_THAT(storage_.last_request.series, SizeIs(2));
  const IngestStats stats = ingester_.stats();
  EXPECT_EQ(stats.requests, 1u);
  EXPECT_EQ(stats.series, 2u);
  EXPECT_EQ(stats.samples, 2u);
  EXPECT_EQ(stats.metadata_entries, 1u);
  EXPECT_EQ(stats.body_bytes, body.size());
  EXPECT_GT(stats.decoded_bytes, 0u);
  EXPECT_EQ(ingester_.metadata().List({}).at(0).name, "up");
}

TEST_F(IngesterTest, TellsWhatTheStoreRefused) {
  WriteOutcome outcome;
  outcome.rejected.push_back({.series_index = 0,
                              .sample_count = 3,
                              .reason = "3 samples are older than the retention of 15d",
                              .labels = LabelSet::Of({{"__name__", "up"}})});
  storage_.answer = outcome;
  const auto summary = Push(Body({"up"}));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->refusals.ToString(),
              HasSubstr(R"({__name__="up"}: 3 samples are older than the retention of 15d)"));
  EXPECT_EQ(ingester_.stats().rejected_samples[static_cast<size_t>(RejectReason::kStore)], 3u);
}

TEST_F(IngesterTest, CountsWhatWasWrittenByKind) {
  WriteRequest request = SampleRequest();
  request.series.push_back(request.series[1]);
  request.series.back().labels = LabelSet::Of({{"__name__", "other"}});
  WriteOutcome outcome;
  outcome.rejected.push_back({.series_index = 0, .sample_count = 1, .reason = "too old"});
  outcome.rejected.push_back({.series_index = 2, .sample_count = 1, .reason = "too old"});
  storage_.answer = outcome;
  for (const auto& summary :
       {Push(Compressed(EncodeRemoteWrite(request))),
        Push(Compressed(EncodeRemoteWriteV2(request)), DecodeRemoteWriteV2)}) {
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->samples_written, 1u);  // out of two
    EXPECT_EQ(summary->histograms_written, 1u);
    EXPECT_EQ(summary->refusals.count(), 2u);
  }
}

// Prometheus sends them apart from their samples' series.
TEST_F(IngesterTest, KeepsExemplarsOfSeriesWithoutSamples) {
  const LabelSet up = LabelSet::Of({{"__name__", "up"}});
  const auto push = [&](int64_t timestamp_ms, const char* trace_id) {
    const Exemplar exemplar{LabelSet::Of({{"trace_id", trace_id}}), 1, timestamp_ms};
    return Push(Compressed(EncodeRemoteWriteV2({}, {}, {{up, {exemplar}}})), DecodeRemoteWriteV2);
  };
  const auto kept = push(1000, "a");
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->exemplars_written, 1u);
  EXPECT_EQ(kept->exemplar_refusals.count(), 0u);
  const auto late = push(999, "b");
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->exemplars_written, 0u);
  EXPECT_EQ(late->exemplar_refusals.count(), 1u);
  EXPECT_TRUE(late->refusals.empty());
  EXPECT_EQ(storage_.write_count, 0);
  EXPECT_EQ(ingester_.exemplars().exemplar_count(), 1u);
  EXPECT_EQ(ingester_.stats().exemplars, 2u);
  EXPECT_EQ(ingester_.stats().rejected_exemplars, 1u);
}

TEST_F(IngesterTest, PassesTheStoresErrorsOn) {
  storage_.answer = absl::UnavailableError("the disk is full");
  EXPECT_EQ(Push(Body({"up"})).status(), absl::UnavailableError("the disk is full"));
}

TEST_F(IngesterTest, NothingForTheStoreIsAnsweredAtOnce) {
  const auto summary = Push(Body({}));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(storage_.write_count, 0);
}

TEST_F(IngesterTest, CountsWhatItCannotRead) {
  EXPECT_EQ(Push("no snappy at all").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Push(std::string(2001, 'x')).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ingester_.stats().undecodable_requests, 1u);
  EXPECT_EQ(ingester_.stats().oversized_requests, 1u);
  EXPECT_EQ(storage_.write_count, 0);
}

TEST(IngesterRatesTest, HoldsEachJobToItsRate) {
  FakeStorage storage;
  Ingester ingester(storage, {.max_samples_per_second_per_job = 1});
  const auto push = [&ingester](std::string_view body) {
    absl::Status answer;
    ingester.Write({}, BodyEncoding::kSnappy, body, DecodeRemoteWrite,
                   [&](const absl::StatusOr<WriteSummary>& result) { answer = result.status(); });
    return answer;
  };
  EXPECT_TRUE(push(Body({"up", "down", "away"})).ok());
  // Each has its labels, though the store may know it.
  EXPECT_THAT(storage.last_request.series, SizeIs(3));
  const absl::Status refused = push(Body({"up"}));
  EXPECT_TRUE(RetryAfter(refused).has_value());
  EXPECT_THAT(std::string(Message(refused)), HasSubstr("the job \"x\""));
  EXPECT_EQ(ingester.stats().throttled_requests, 1u);
  ingester.SetRates(0, 0);
  EXPECT_TRUE(push(Body({"up"})).ok());
}

// Enters nothing until it is told to.
class AwaitingIngesterTest : public IngesterTest {
 protected:
  AwaitingIngesterTest() {
    ingester_.AwaitStored([this] {
      ++enter_count_;
      return entered_;
    });
  }
  static std::string OnlyMetadata() {
    return Compressed(EncodeRemoteWrite({}, {{"up", {"gauge", "help", ""}}}));
  }
  static std::string OnlyExemplars() {
    const SeriesExemplars one = {LabelSet::Of({{"__name__", "up"}}), {{{}, 1, 1000}}};
    return Compressed(EncodeRemoteWriteV2({}, {}, {one}));
  }

  absl::Status entered_;
  int enter_count_ = 0;
};

TEST_F(AwaitingIngesterTest, MetadataIsKeptOnlyWithSamplesThatWereStored) {
  ASSERT_TRUE(Push(Body({"up"})).ok());
  EXPECT_EQ(ingester_.metadata().metric_count(), 0u);
  EXPECT_EQ(enter_count_, 0);
  // The store itself may end the waiting while it writes.
  ingester_.StopAwaiting();
  ASSERT_TRUE(Push(Body({"up"})).ok());
  EXPECT_EQ(ingester_.metadata().metric_count(), 1u);
  EXPECT_EQ(ingester_.stats().metadata_entries, 2u);
}

TEST_F(AwaitingIngesterTest, WithoutSeriesItEntersFirst) {
  ASSERT_TRUE(Push(OnlyMetadata()).ok());
  EXPECT_EQ(enter_count_, 1);
  const auto exemplars = Push(OnlyExemplars(), DecodeRemoteWriteV2);
  ASSERT_TRUE(exemplars.ok());
  EXPECT_EQ(enter_count_, 2);
  EXPECT_EQ(exemplars->exemplars_written, 0u);
  EXPECT_EQ(ingester_.stats().rejected_exemplars, 1u);
  // A request that brings nothing need not enter.
  ASSERT_TRUE(Push(Compressed("")).ok());
  EXPECT_EQ(enter_count_, 2);
  entered_ = absl::ResourceExhaustedError("too many tenants");
  EXPECT_EQ(Push(OnlyMetadata()).status(), entered_);
  EXPECT_EQ(ingester_.metadata().metric_count(), 0u);
  ingester_.StopAwaiting();
  EXPECT_TRUE(Push(OnlyMetadata()).ok());
  EXPECT_EQ(enter_count_, 3);
  EXPECT_EQ(ingester_.metadata().metric_count(), 1u);
}

TEST_F(IngesterTest, CountsHistogramsAndWhatTheStoreDid) {
  WriteOutcome outcome;
  outcome.written_count = 1;
  outcome.duplicate_count = 2;
  outcome.overwritten_count = 3;
  storage_.answer = outcome;
  const auto summary = Push(Compressed(EncodeRemoteWrite(SampleRequest())));
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->new_samples, 1u);
  EXPECT_EQ(summary->duplicate_samples, 2u);
  EXPECT_EQ(summary->overwritten_samples, 3u);
  EXPECT_EQ(ingester_.stats().histograms, 1u);
  EXPECT_EQ(ingester_.stats().samples, 2u);
}

TEST_F(IngesterTest, ASeriesOverTheStoresLimitHasAReasonOfItsOwn) {
  WriteOutcome outcome;
  outcome.rejected.push_back(
      {.series_index = 0, .sample_count = 1, .reason = "too many", .is_over_series_limit = true});
  storage_.answer = outcome;
  ASSERT_TRUE(Push(Body({"up"})).ok());
  const IngestStats stats = ingester_.stats();
  EXPECT_EQ(stats.rejected_samples[static_cast<size_t>(RejectReason::kSeriesLimit)], 1u);
  EXPECT_EQ(stats.rejected_samples[static_cast<size_t>(RejectReason::kStore)], 0u);
}

// Floats and histograms of one series: the floats count as refused first.
TEST_F(IngesterTest, FloatsOfASeriesAreRefusedBeforeItsHistograms) {
  WriteRequest request = SampleRequest();
  request.series[0].histograms = request.series[1].histograms;
  request.series.resize(1);
  WriteOutcome outcome;
  outcome.rejected.push_back({.series_index = 0, .sample_count = 3, .reason = "too old"});
  storage_.answer = outcome;
  const auto all = Push(Compressed(EncodeRemoteWrite(request)));
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->samples_written, 0u);
  EXPECT_EQ(all->histograms_written, 0u);
  outcome.rejected[0].sample_count = 1;
  storage_.answer = outcome;
  const auto one = Push(Compressed(EncodeRemoteWrite(request)));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->samples_written, 1u);
  EXPECT_EQ(one->histograms_written, 1u);
}

TEST_F(IngesterTest, RefusedExemplarsSayWhy) {
  const LabelSet up = LabelSet::Of({{"__name__", "up"}});
  const auto refusal = [&](const Exemplar& exemplar) {
    const auto summary =
        Push(Compressed(EncodeRemoteWriteV2({}, {}, {{up, {exemplar}}})), DecodeRemoteWriteV2);
    EXPECT_TRUE(summary.ok());
    const std::string told = summary->exemplar_refusals.ToString();
    return told.substr(told.find('\n') + 1);
  };
  EXPECT_EQ(refusal({LabelSet::Of({{"a", "b"}}), 1, 1000}), "");
  EXPECT_EQ(refusal({LabelSet::Of({{"a", "b"}}), 1, 999}),
            "{__name__=\"up\"}: an exemplar is older than the newest of the series\n");
  const std::string long_text(128, 'x');
  EXPECT_EQ(refusal({LabelSet::Of({{"a", long_text}}), 1, 1001}),
            "{__name__=\"up\"}: an exemplar's labels are too long\n");
  EXPECT_EQ(refusal({LabelSet::Of({{"a", "\xff"}}), 1, 1001}),
            "{__name__=\"up\"}: an exemplar's labels are not valid UTF-8\n");
  EXPECT_EQ(ingester_.stats().rejected_samples[static_cast<size_t>(RejectReason::kBadExemplar)],
            0u);
}

TEST_F(IngesterTest, TheLimitOfABodyIsTold) {
  EXPECT_TRUE(absl::IsInvalidArgument(Push(std::string(2000, 'x')).status()));
  EXPECT_EQ(Message(Push(std::string(2001, 'x')).status()),
            "the body of 2001 bytes is larger than the limit of 2000");
  EXPECT_EQ(ingester_.stats().body_bytes, 4001u);
  EXPECT_EQ(ingester_.stats().requests, 2u);
}

TEST(IngesterRatesTest, HoldsAllAndSeveralIngestersToARate) {
  FakeStorage storage;
  const auto common = std::make_shared<RateLimit>(1);
  Ingester limited(storage, {.max_samples_per_second = 1});
  Ingester sharing(storage, {}, common);
  Ingester sharing_too(storage, {}, common);
  const auto push = [](Ingester& ingester, int series_count) {
    std::vector<std::string> names;
    for (int i = 0; i < series_count; ++i) names.push_back(absl::StrFormat("m%d", i));
    absl::Status answer;
    ingester.Write({}, BodyEncoding::kSnappy, Body(names), DecodeRemoteWrite,
                   [&](const absl::StatusOr<WriteSummary>& result) { answer = result.status(); });
    return std::string(Message(answer));
  };
  EXPECT_EQ(push(limited, 100), "");
  EXPECT_THAT(push(limited, 1),
              HasSubstr("over the limit of 1 samples per second of this server "
                        "(ingest.max-samples-per-second); nothing was stored, retry in "));
  EXPECT_EQ(limited.stats().throttled_requests, 1u);
  EXPECT_EQ(push(sharing, 100), "");
  EXPECT_THAT(push(sharing_too, 1), HasSubstr("over the limit of 1 samples per second"));
  EXPECT_EQ(sharing_too.stats().throttled_requests, 1u);
  EXPECT_EQ(sharing_too.stats().series, 0u);
  limited.SetRates(1'000'000, 0);
  EXPECT_EQ(push(limited, 1), "");
}

}  // namespace
}  // namespace lockstep
