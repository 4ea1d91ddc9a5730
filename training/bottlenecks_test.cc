#include "training/bottlenecks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace lockstep::training {
namespace {

constexpr double kH200OneWayBytesPerS = 450e9;

struct Row {
  const char* words;
  DeviceWindow window;
  const char* bottleneck;
};

DeviceWindow Window(double engine, double sm, double tensor, double dram, double nvlink) {
  return {.engine = engine,
          .sm = sm,
          .tensor = tensor,
          .dram = dram,
          .nvlink_received = nvlink,
          .link_bytes_per_s = kH200OneWayBytesPerS};
}

TEST(Bottlenecks, EachLeafIsReached) {
  const Row rows[] = {
      {"nothing", Window(0.0, 0.0, 0.0, 0.0, 0.0), "idle"},
      {"slow loader", Window(0.4, 0.32, 0.2, 0.12, 6e9), "input_bound"},
      {"tiny kernels", Window(0.98, 0.0085, 0.0, 0.0, 2e3), "fake_load"},
      {"waits for a rank that hangs", Window(1.0, 0.18, 0.0, 0.0, 1e6), "waiting"},
      {"all-reduce", Window(0.98, 0.174, 0.0, 0.236, 3.5e11), "communication_bound"},
      {"exchange over NICs alone", Window(0.98, 0.17, 0.0, 0.2, 0.0), "communication_bound"},
      {"exchange with some math", Window(0.98, 0.5, 0.08, 0.3, 1.5e11), "communication_bound"},
      {"streaming", Window(0.98, 0.96, 0.0, 0.88, 4e3), "memory_bound"},
      {"decode of a small batch", Window(0.98, 0.80, 0.26, 0.56, 5e3), "memory_bound"},
      {"bf16 training", Window(0.98, 0.88, 0.56, 0.28, 1.4e10), "compute_bound"},
      {"fp8 training", Window(0.99, 0.90, 0.27, 0.30, 1.3e10), "compute_bound"},
      {"training of small batches", Window(0.98, 0.68, 0.26, 0.33, 6.7e10), "compute_bound"},
  };
  for (const Row& row : rows) {
    const Classified found = Classify(row.window);
    EXPECT_EQ(Name(found.bottleneck), row.bottleneck) << row.words;
    EXPECT_GT(found.margin, 0.05) << row.words;
    EXPECT_FALSE(Advice(found.bottleneck).empty());
  }
}

TEST(Bottlenecks, WithoutAllCountersItSaysWhatItCan) {
  const Row rows[] = {
      {"only what dcgm-exporter gives by default, training",
       {.engine = 0.98, .tensor = 0.56, .dram = 0.28},
       "compute_bound"},
      {"likewise, streaming", {.engine = 0.98, .tensor = 0.0, .dram = 0.88}, "memory_bound"},
      {"likewise, spinning or tiny kernels", {.engine = 0.98, .tensor = 0, .dram = 0}, "unknown"},
      {"no link counter",
       {.engine = 0.98, .sm = 0.17, .tensor = 0, .dram = 0.24},
       "communication_bound"},
      {"no DRAM counter", {.engine = 0.98, .sm = 0.9, .tensor = 0.5}, "unknown"},
      {"nothing", {}, "unknown"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Name(Classify(row.window).bottleneck), row.bottleneck) << row.words;
  }
}

TEST(Bottlenecks, StepsAloneTellInputAndCommunication) {
  Job job;
  job.ranks.resize(2);
  struct Case {
    double data[2];
    double exchange[2];
    const char* verdict;
  };
  // A rank with much of it makes the other wait: only the least of them counts.
  const Case cases[] = {{{0.4, 0.5}, {0.1, 0.0}, "input_bound"},
                        {{0.0, 0.5}, {0.5, 0.0}, "unknown"},
                        {{0.0, 0.0}, {0.6, 0.7}, "communication_bound"}};
  for (const Case& c : cases) {
    StepTable table;
    table.step = {0};
    table.end_ms = {1000};
    table.step_seconds = RankMatrix(2, 1, 1.0);
    PhaseColumn data{"data", PhaseKind::kData, RankMatrix(2, 1)};
    PhaseColumn exchange{"allreduce", PhaseKind::kCommunication, RankMatrix(2, 1)};
    for (size_t row = 0; row < 2; ++row) {
      data.seconds(row, 0) = c.data[row];
      exchange.seconds(row, 0) = c.exchange[row];
    }
    table.phases = {data, exchange};
    EXPECT_EQ(Name(FindBottlenecks({job, table, {}}).verdict), c.verdict);
  }
}

TEST(Bottlenecks, FlagsSayWhatElseIsWrong) {
  Job job;
  job.ranks.resize(1);
  std::vector<GpuCounters> devices(1);
  const std::pair<DeviceCounter, double> constant[] = {
      {DeviceCounter::kGraphicsEngineActiveRatio, 0.99},
      {DeviceCounter::kSmActiveRatio, 0.9},
      {DeviceCounter::kSmOccupancyRatio, 0.1},
      {DeviceCounter::kTensorActiveRatio, 0.0},
      {DeviceCounter::kDramActiveRatio, 0.3},
      {DeviceCounter::kMemoryUsedMib, 139'000},
      {DeviceCounter::kMemoryFreeMib, 2'000},
      {DeviceCounter::kThrottleReasons, 0x40},
      {DeviceCounter::kPowerW, 690},
      {DeviceCounter::kPowerLimitW, 700},
      {DeviceCounter::kGpuTemperatureC, 88}};
  for (const auto& [counter, value] : constant) {
    for (int64_t at = 1000; at <= 60'000; at += 1000) {
      devices[0][counter].timestamp_ms.push_back(at);
      devices[0][counter].value.push_back(value);
    }
  }
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, devices});
  std::string flags;
  for (const BottleneckFlag flag : answer.gpus.at(0).flags) flags += std::string(Name(flag)) + " ";
  EXPECT_EQ(flags, "throttled power_capped hot memory_nearly_full low_occupancy no_tensor_cores ");
  EXPECT_EQ(answer.gpus[0].share[static_cast<size_t>(BottleneckClass::kComputeBound)], 1.0);
  EXPECT_EQ(answer.missing, std::vector<std::string>{"DCGM_FI_PROF_NVLINK_RX_BYTES"});
}

TEST(Bottlenecks, APauseIsNotASlowLoader) {
  Job job;
  job.ranks.resize(1);
  std::vector<GpuCounters> devices(1);
  // Works but for eight seconds, which begin and end in the middle of a window.
  const std::pair<DeviceCounter, double> working[] = {
      {DeviceCounter::kGraphicsEngineActiveRatio, 0.98},
      {DeviceCounter::kSmActiveRatio, 0.9},
      {DeviceCounter::kTensorActiveRatio, 0.5},
      {DeviceCounter::kDramActiveRatio, 0.3},
      {DeviceCounter::kNvlinkReceivedBytesPerS, 1e10}};
  for (const auto& [counter, value] : working) {
    for (int64_t at = 1000; at <= 60'000; at += 1000) {
      devices[0][counter].timestamp_ms.push_back(at);
      devices[0][counter].value.push_back(at > 18'000 && at <= 26'000 ? 0 : value);
    }
  }
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, devices});
  EXPECT_EQ(Name(answer.verdict), "compute_bound");
  const auto share = [&](BottleneckClass of) {
    return answer.gpus.at(0).share[static_cast<size_t>(of)];
  };
  EXPECT_GT(share(BottleneckClass::kIdle), 0);
  EXPECT_DOUBLE_EQ(share(BottleneckClass::kIdle) + share(BottleneckClass::kComputeBound), 1);
}

}  // namespace
}  // namespace lockstep::training
