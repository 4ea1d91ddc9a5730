#include "rules/stored_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "ingest/write/ingest_testing.h"

namespace lockstep::rules {
namespace {

const LabelSet kA = LabelSet::Of({{"__name__", "a"}});
const LabelSet kB = LabelSet::Of({{"__name__", "b"}});

engine::VectorResult ThreeSamples() {
  const auto histogram = std::make_shared<const Histogram>();
  return {{kA, 1, 10, nullptr}, {kA, 2, 20, nullptr}, {kB, 3, 0, histogram}};
}

TEST(StoredSamplesTest, ARuleMayReturnAVectorOrAScalar) {
  const auto vector = VectorOf(engine::VectorResult{{kA, 7, 1.5, nullptr}});
  ASSERT_TRUE(vector.ok());
  ASSERT_EQ(vector->size(), 1u);
  EXPECT_EQ((*vector)[0].labels, kA);
  engine::ScalarResult scalar;
  scalar.timestamp_ms = 7;
  scalar.value = 2.5;
  const auto one = VectorOf(scalar);
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->size(), 1u);
  EXPECT_TRUE((*one)[0].labels.empty());
  EXPECT_EQ((*one)[0].timestamp_ms, 7);
  EXPECT_EQ((*one)[0].value, 2.5);
  const absl::Status text = VectorOf(engine::StringResult{}).status();
  EXPECT_EQ(text.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(text), "rule result is not a vector or scalar");
}

TEST(StoredSamplesTest, SamplesOfASeriesAreWrittenTogether) {
  DecodedWrite written;
  const scrape::StoreSamples store = [&](DecodedWrite write, Ingester::Done done) {
    written = std::move(write);
    done(WriteSummary());
  };
  ASSERT_TRUE(WriteAndWait(store, ThreeSamples()).ok());
  EXPECT_EQ(written.series_count, 2u);
  EXPECT_EQ(written.sample_count, 2u);
  EXPECT_EQ(written.histogram_count, 1u);
  const std::vector<SeriesWrite>& series = written.request.series;
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].labels, kA);
  ASSERT_EQ(series[0].samples.size(), 2u);
  EXPECT_EQ(series[0].samples[0].timestamp_ms, 1);
  EXPECT_EQ(series[0].samples[1].value, 20);
  EXPECT_EQ(series[1].labels, kB);
  EXPECT_TRUE(series[1].samples.empty());
  ASSERT_EQ(series[1].histograms.size(), 1u);
  EXPECT_EQ(series[1].histograms[0].timestamp_ms, 3);
}

TEST(StoredSamplesTest, ARefusalOfAPartIsAnError) {
  WriteSummary summary;
  absl::StatusOr<WriteSummary> answer = absl::UnavailableError("full");
  const scrape::StoreSamples store = [&](const DecodedWrite&, Ingester::Done done) {
    done(std::move(answer));
  };
  EXPECT_EQ(Message(WriteAndWait(store, ThreeSamples())), "full");
  summary.refusals.Add(RejectReason::kNoMetricName, 1, {}, "it has no name");
  answer = summary;
  const absl::Status status = WriteAndWait(store, ThreeSamples());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(status)), testing::HasSubstr("it has no name"));
}

TEST(StoredSamplesTest, AStoreMayBeWrittenToDirectly) {
  FakeStorage storage;
  ASSERT_TRUE(WriteAndWait(storage, ThreeSamples()).ok());
  ASSERT_EQ(storage.last_request.series.size(), 2u);
  EXPECT_EQ(storage.last_request.series[0].samples.size(), 2u);
  WriteOutcome outcome;
  outcome.rejected.resize(1);
  outcome.rejected[0].reason = "it is too old";
  storage.answer = outcome;
  const absl::Status refused = WriteAndWait(storage, ThreeSamples());
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(refused), "it is too old");
  storage.answer = absl::UnavailableError("full");
  EXPECT_EQ(Message(WriteAndWait(storage, ThreeSamples())), "full");
}

}  // namespace
}  // namespace lockstep::rules
