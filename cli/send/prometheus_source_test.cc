#include "cli/send/prometheus_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/fake_server_testing.h"

namespace lockstep::cli {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr int64_t kNowMs = 2'000'000;

class PrometheusSourceTest : public ::testing::Test {
 protected:
  PrometheusSourceTest() : client_(*HttpClient::Make(server_.options())) {
    flags_.url = "http://prometheus";
    flags_.start = "1000";
  }

  absl::StatusOr<importer::PrometheusSource> Make() { return MakeSource(flags_, *client_, kNowMs); }
  std::string Error() {
    const absl::Status status = Make().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(Message(status));
  }

  FakeServer server_;
  const std::unique_ptr<HttpClient> client_;
  PrometheusFlags flags_;
};

TEST_F(PrometheusSourceTest, IsAllSeriesUntilNowByDefault) {
  const auto source = Make();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->url, "http://prometheus");
  EXPECT_EQ(source->range.min_ms, 1'000'000);
  EXPECT_EQ(source->range.max_ms, kNowMs);
  ASSERT_EQ(source->selectors.size(), 1u);
  ASSERT_EQ(source->selectors[0].size(), 1u);
  EXPECT_EQ(source->selectors[0][0].ToString(), "__name__!=\"\"");
  EXPECT_THAT(server_.asked(), IsEmpty());
}

TEST_F(PrometheusSourceTest, MayBeSomeSeriesOfSomeTime) {
  flags_.selectors = {"up", "{job=\"a\"}"};
  flags_.end = "1500.5";
  const auto source = Make();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->range.max_ms, 1'500'500);
  ASSERT_EQ(source->selectors.size(), 2u);
  EXPECT_EQ(source->selectors[0][0].ToString(), "__name__=\"up\"");
  EXPECT_EQ(source->selectors[1][0].ToString(), "job=\"a\"");
}

TEST_F(PrometheusSourceTest, BeginsWithItsOldestSample) {
  server_.Prepare("/metrics",
                  "# TYPE prometheus_tsdb_lowest_timestamp gauge\n"
                  "prometheus_tsdb_head_series 7\n"
                  "prometheus_tsdb_lowest_timestamp 123456\n");
  flags_.start = "";
  const auto source = Make();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->range.min_ms, 123'456);
}

TEST_F(PrometheusSourceTest, NeedsAStartIfTheSourceDoesNotTellOne) {
  flags_.start = "";
  EXPECT_EQ(Error(),
            "cannot find the time of the source's oldest sample (HTTP 404 from /metrics); set "
            "--start");
  server_.Prepare("/metrics", "up 1\n");
  EXPECT_EQ(Error(), "the source's /metrics has no prometheus_tsdb_lowest_timestamp; set --start");
}

TEST_F(PrometheusSourceTest, NamesTheFlagThatIsWrong) {
  flags_.start = "x";
  EXPECT_EQ(Error(), "--start: cannot parse \"x\" to a valid timestamp");
  flags_.end = "y";
  EXPECT_EQ(Error(), "--end: cannot parse \"y\" to a valid timestamp");
  flags_.selectors = {"{"};
  EXPECT_THAT(Error(), StartsWith("--match: {: "));
}

TEST(LowestTimeTest, IsInALineOfTheMetrics) {
  EXPECT_EQ(LowestTimeMs("prometheus_tsdb_lowest_timestamp 1.7e+12").value(), 1'700'000'000'000);
  EXPECT_EQ(LowestTimeMs("not a sample at all {\n\nprometheus_tsdb_lowest_timestamp 5\n").value(),
            5);
  EXPECT_EQ(LowestTimeMs("prometheus_tsdb_lowest_timestamp_seconds 5\n").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(LowestTimeMs("").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::cli
