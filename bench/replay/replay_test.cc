#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "bench/replay/fleet.h"
#include "bench/replay/history.h"
#include "bench/replay/pace.h"
#include "bench/replay/recording.h"
#include "bench/replay/request_file.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/write/body_encoding.h"
#include "tests/support/test_folder.h"

namespace lockstep::replay {
namespace {

constexpr char kText[] = R"(# TYPE DCGM_A gauge
DCGM_A{gpu="0",UUID="GPU-x",job="a"} 0.5 12.000
DCGM_A{gpu="0",UUID="GPU-x"} 0.25 11.000
DCGM_A{gpu="1",UUID="GPU-y"} 7 11.000
DCGM_A{gpu="1",UUID="GPU-y"} 8 12.000
# TYPE DCGM_B unknown
DCGM_B{gpu="0",UUID="GPU-x"} 100 11.000
DCGM_B{gpu="0",UUID="GPU-x"} 103 12.000
DCGM_B{gpu="1",UUID="GPU-y"} 1 11.000
DCGM_B{gpu="1",UUID="GPU-y"} 2 12.000
train_loss{gpu="0",rank="0"} 2.5 11.000
# EOF
)";

class ReplayTest : public testing::Test {
 protected:
  std::vector<RecordedGpu> Recording() {
    absl::StatusOr<std::vector<RecordedGpu>> gpus =
        ReadRecording(temporary_.Write("recording.om", kText));
    EXPECT_TRUE(gpus.ok()) << gpus.status();
    return *std::move(gpus);
  }

  const TestFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ReplayTest, ReadsDeviceSeriesInOrderOfTime) {
  const std::vector<RecordedGpu> gpus = Recording();
  ASSERT_EQ(gpus.size(), 2u);
  ASSERT_EQ(gpus[0].metrics.size(), 2u);
  EXPECT_EQ(gpus[0].metrics[0].name, "DCGM_A");
  EXPECT_FALSE(gpus[0].metrics[0].is_cumulative);
  EXPECT_THAT(gpus[0].metrics[0].values, testing::ElementsAre(0.25, 0.5));
  EXPECT_TRUE(gpus[1].metrics[1].is_cumulative);
  EXPECT_THAT(gpus[1].metrics[1].values, testing::ElementsAre(1, 2));
}

TEST_F(ReplayTest, SaysWhatItCannotRead) {
  EXPECT_FALSE(ReadRecording(folder_ / "none").ok());
  std::ofstream(folder_ / "broken.om") << "DCGM_A{gpu=\"0\"} 1\n";
  EXPECT_FALSE(ReadRecording(folder_ / "broken.om").ok());
}

TEST_F(ReplayTest, EverySeriesOfTheFleetIsItsOwn) {
  const Fleet fleet(Recording(), {.gpu_count = 100, .start_ms = 1000});
  std::set<std::string> seen;
  for (size_t i = 0; i < fleet.series_count(); ++i) seen.insert(fleet.Labels(i, 0).bytes());
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(fleet.host_of(0), fleet.host_of(15));
  EXPECT_NE(fleet.host_of(15), fleet.host_of(16));
}

TEST_F(ReplayTest, TimeMovesByTheIntervalAndCountersNeverFall) {
  const Fleet fleet(Recording(), {.gpu_count = 3, .start_ms = 1000, .interval_ms = 500});
  for (size_t series : {1u, 3u, 5u}) {
    for (size_t point = 1; point < 10; ++point) {
      EXPECT_EQ(fleet.At(series, point).timestamp_ms - fleet.At(series, point - 1).timestamp_ms,
                500);
      EXPECT_GE(fleet.At(series, point).value, fleet.At(series, point - 1).value);
    }
  }
}

TEST_F(ReplayTest, NoSeriesRepeatsItselfWhileItsPointsAreUnique) {
  const Fleet fleet(Recording(), {.gpu_count = 5, .start_ms = 1000});
  ASSERT_EQ(fleet.unique_point_count(), 4u);
  for (size_t series = 0; series < fleet.series_count(); series += 2) {
    std::set<double> values;
    for (size_t point = 0; point < 4; ++point) values.insert(fleet.At(series, point).value);
    EXPECT_THAT(values, testing::ElementsAre(0.25, 0.5, 7, 8)) << "series " << series;
  }
}

TEST_F(ReplayTest, ACounterGoesOnInTheNextRecording) {
  const Fleet fleet(Recording(), {.gpu_count = 1, .start_ms = 1000});
  std::vector<double> values;
  for (size_t point = 0; point < 7; ++point) values.push_back(fleet.At(1, point).value);
  // 100 103, then the increase of the other GPU's recording, then the first again.
  EXPECT_THAT(values, testing::ElementsAre(100, 103, 103, 104, 104, 107, 107));
}

TEST_F(ReplayTest, ChurnEndsAllSeriesOfOneHostInEight) {
  const Fleet fleet(Recording(), {.gpu_count = 128, .start_ms = 1000, .churn_every = 3});
  const size_t series_of_host = 16;
  for (size_t series = 0; series < fleet.series_count(); ++series) {
    EXPECT_EQ(fleet.GenerationAt(series, 2), 0u);
    // 16 hosts: the first replacement affects hosts 7 and 15, the last of eight hosts 0 and 8.
    EXPECT_EQ(fleet.GenerationAt(series, 3), fleet.host_of(series) % 8 == 7 ? 1u : 0u);
    EXPECT_EQ(fleet.GenerationAt(series, 24), 1u);
  }
  EXPECT_EQ(fleet.TotalSeriesCount(3), 16 * series_of_host);
  EXPECT_EQ(fleet.TotalSeriesCount(4), 18 * series_of_host);

  const LabelSet before = fleet.Labels(0, 0);
  const LabelSet after = fleet.Labels(0, 1);
  for (const LabelView label : before) {
    const bool is_new = label.name == "UUID" || label.name == "pod";
    EXPECT_EQ(after.Get(label.name) != label.value, is_new) << label.name;
  }
}

TEST_F(ReplayTest, AChurningFleetIsSentUnderAllItsNames) {
  const Fleet fleet(Recording(), {.gpu_count = 64, .start_ms = 1000, .churn_every = 1});
  std::set<std::string> seen;
  const absl::Status status = MakeRequests(
      fleet, {0, 4}, {.connection_count = 1, .samples_per_request = 100}, 0,
      [&](const Request& request) {
        std::string scratch;
        const auto body = DecodeBody(BodyEncoding::kSnappy, request.body, 1 << 20, scratch);
        if (!body.ok()) return body.status();
        const auto decoded = DecodeRemoteWrite(*body, IngestLimits{});
        if (!decoded.ok()) return decoded.status();
        for (const auto& series : decoded->request.series) {
          seen.insert(series.labels.bytes());
        }
        return absl::OkStatus();
      });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(seen.size(), fleet.TotalSeriesCount(4));
}

TEST_F(ReplayTest, MakingRequestsEndsWithTheStatusOfWhoTakesThem) {
  const Fleet fleet(Recording(), {.gpu_count = 64, .start_ms = 1000});
  int taken = 0;
  const absl::Status status = MakeRequests(
      fleet, {0, 3}, {.connection_count = 1, .samples_per_request = 100}, 0, [&](const Request&) {
        return ++taken < 2 ? absl::OkStatus() : absl::UnavailableError("no more");
      });
  EXPECT_EQ(status, absl::UnavailableError("no more"));
  EXPECT_EQ(taken, 2);
}

TEST(Pace, TheNextRequestIsDueWhenThoseBeforeItTookTheirTime) {
  using std::chrono::milliseconds;
  EXPECT_EQ((Pace{2000}.DueAfter(0)), milliseconds(0));
  EXPECT_EQ((Pace{2000}.DueAfter(1000)), milliseconds(500));
  EXPECT_EQ((Pace{2000}.DueAfter(10'000)), milliseconds(5000));
  EXPECT_EQ((Pace{0}.DueAfter(10'000)), milliseconds(0));
}

TEST_F(ReplayTest, RequestsHoldEverySampleOnce) {
  const Fleet fleet(Recording(), {.gpu_count = 40, .start_ms = 1000});
  const std::string path = folder_ / "requests";
  ASSERT_TRUE(
      EncodeRequests(fleet, {0, 3}, {.connection_count = 2, .samples_per_request = 7}, path).ok());
  const auto connections = ReadRequests(path);
  ASSERT_TRUE(connections.ok()) << connections.status();
  ASSERT_EQ(connections->size(), 2u);
  uint64_t samples = 0;
  for (const std::vector<Request>& requests : *connections) {
    for (const Request& request : requests) {
      EXPECT_LE(request.sample_count, 7u);
      std::string scratch;
      EXPECT_TRUE(DecodeBody(BodyEncoding::kSnappy, request.body, 1 << 20, scratch).ok());
      samples += request.sample_count;
    }
  }
  EXPECT_EQ(samples, 240u);

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_FALSE(ReadRequests(path).ok());
}

// The samples of a history by series, sorted by time, as its requests have them.
std::map<std::string, std::map<int64_t, double>> SamplesOf(const HistoryOptions& history) {
  std::map<std::string, std::map<int64_t, double>> samples;
  for (uint32_t connection = 0; connection < 2; ++connection) {
    const absl::Status status = MakeHistory(
        history, {.connection_count = 2, .samples_per_request = 8}, connection,
        [&samples](const Request& request) {
          EXPECT_LE(request.sample_count, 8u);
          std::string scratch;
          const auto body = DecodeBody(BodyEncoding::kSnappy, request.body, 1 << 20, scratch);
          if (!body.ok()) return body.status();
          const auto decoded = DecodeRemoteWrite(*body, IngestLimits{});
          if (!decoded.ok()) return decoded.status();
          for (const auto& series : decoded->request.series) {
            for (const Sample& sample : series.samples) {
              samples[std::string(series.labels.bytes())][sample.timestamp_ms] += sample.value;
            }
          }
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
  }
  return samples;
}

TEST(History, HasTheSameSamplesInBothOrders) {
  HistoryOptions history{.series_count = 70, .point_count = 20, .start_ms = 1000};
  const auto by_time = SamplesOf(history);
  history.is_by_series = true;
  EXPECT_EQ(SamplesOf(history), by_time);
  ASSERT_EQ(by_time.size(), 70u);
  for (const auto& [labels, samples] : by_time) {
    ASSERT_EQ(samples.size(), 20u);
    EXPECT_EQ(samples.rbegin()->first - samples.begin()->first, 19 * history.interval_ms);
  }
}

}  // namespace
}  // namespace lockstep::replay
