#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "bench/replay/request_file.h"
#include "ingest/body_encoding.h"

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
  ReplayTest() : folder_(std::filesystem::path(testing::TempDir()) / "replay") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "recording.om") << kText;
  }
  ~ReplayTest() override { std::filesystem::remove_all(folder_); }

  std::vector<RecordedGpu> Recording() {
    absl::StatusOr<std::vector<RecordedGpu>> gpus = ReadRecording(folder_ / "recording.om");
    EXPECT_TRUE(gpus.ok()) << gpus.status();
    return *std::move(gpus);
  }

  const std::filesystem::path folder_;
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
  for (size_t i = 0; i < fleet.series_count(); ++i) seen.insert(fleet.labels(i).bytes());
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

TEST_F(ReplayTest, RequestsHoldEverySampleOnce) {
  const Fleet fleet(Recording(), {.gpu_count = 40, .start_ms = 1000});
  const std::string path = folder_ / "requests";
  ASSERT_TRUE(
      EncodeRequests(fleet, 0, 3, {.connection_count = 2, .samples_per_request = 7}, path).ok());
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

}  // namespace
}  // namespace lockstep::replay
