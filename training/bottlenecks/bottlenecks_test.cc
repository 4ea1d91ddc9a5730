#include "training/bottlenecks/bottlenecks.h"

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

// The SMs are full of warps in all of these: only pipes, memory and power show what they do.
TEST(Bottlenecks, WorkNeedsEvidence) {
  struct Case {
    const char* words;
    DeviceWindow window;
    const char* bottleneck;
  };
  const Case cases[] = {
      {"a kernel that spins",
       {.tensor = 0, .fp64 = 0, .fp32 = 0, .dram = 0, .power_share = 0.19},
       "fake_load"},
      {"pointer chasing",
       {.tensor = 0, .fp64 = 0, .fp32 = 0, .dram = 0.18, .power_share = 0.38},
       "latency_bound"},
      {"scattered rows",
       {.tensor = 0, .fp64 = 0, .fp32 = 0.01, .dram = 0.04, .power_share = 0.3},
       "latency_bound"},
      {"rows in order",
       {.tensor = 0, .fp64 = 0, .fp32 = 0.02, .dram = 0.55, .power_share = 0.7},
       "memory_bound"},
      {"fp32 products",
       {.tensor = 0, .fp64 = 0, .fp32 = 0.76, .dram = 0.09, .power_share = 1.0},
       "compute_bound"},
      {"fp64 products",
       {.tensor = 0, .fp64 = 0.7, .fp32 = 0, .dram = 0.1, .power_share = 0.9},
       "compute_bound"},
      {"fp64 stencils",
       {.tensor = 0, .fp64 = 0.15, .fp32 = 0.02, .dram = 0.8, .power_share = 0.8},
       "memory_bound"},
      {"hashing with integers",
       {.tensor = 0, .fp64 = 0, .fp32 = 0, .dram = 0.001, .power_share = 0.7},
       "compute_bound"},
      {"neither work nor rest",
       {.tensor = 0, .fp64 = 0, .fp32 = 0, .dram = 0.001, .power_share = 0.4},
       "unknown"},
      {"fp32 products, pipes not counted",
       {.tensor = 0, .dram = 0.09, .power_share = 0.98},
       "compute_bound"},
      {"spinning, pipes not counted", {.tensor = 0, .dram = 0, .power_share = 0.19}, "fake_load"},
      {"scattered rows, neither pipes nor power", {.tensor = 0, .dram = 0.09}, "unknown"},
      {"scattered rows at full tilt",
       {.tensor = 0, .fp64 = 0, .fp32 = 0.012, .fp16 = 0.024, .dram = 0.236, .power_share = 0.79},
       "latency_bound"},
      {"convolutions",
       {.tensor = 0.137, .fp64 = 0, .fp32 = 0.035, .dram = 0.464, .power_share = 0.9},
       "compute_bound"},
      {"scattered rows, pipes not counted",
       {.tensor = 0, .dram = 0.236, .power_share = 0.79},
       "unknown"},
      {"optimizer of tiny batches",
       {.tensor = 0.094, .fp64 = 0, .fp32 = 0.057, .dram = 0.477, .power_share = 0.78},
       "memory_bound"},
  };
  for (const Case& c : cases) {
    DeviceWindow window = c.window;
    window.engine = 0.98;
    window.sm = 0.97;
    EXPECT_EQ(Name(Classify(window).bottleneck), c.bottleneck) << c.words;
  }
}

TEST(Bottlenecks, OneRankNeitherExchangesNorWaits) {
  // A few blocks, which look like a collective's channels.
  DeviceWindow window = {
      .engine = 0.98, .sm = 0.2, .tensor = 0.0, .fp64 = 0.0, .fp32 = 0.12, .dram = 0.01};
  EXPECT_EQ(Name(Classify(window).bottleneck), "waiting");
  window.has_peers = false;
  EXPECT_EQ(Name(Classify(window).bottleneck), "compute_bound");
}

TEST(Bottlenecks, AHostThatIsTooSlowIsToldByWhatItDoes) {
  struct Case {
    const char* words;
    DeviceWindow window;
    const char* cause;
  };
  const Case cases[] = {
      {"eager decoding",
       {.engine = 0.36, .sm = 0.056, .pcie_received = 2e8, .pcie_sent = 2e7},
       "launches"},
      {"a slow loader",
       {.engine = 0.40, .sm = 0.32, .pcie_received = 1e8, .pcie_sent = 1e7},
       "unknown"},
      {"pageable copies",
       {.engine = 0.01, .sm = 0.008, .pcie_received = 8e9, .pcie_sent = 1e7},
       "copies"},
  };
  for (const Case& c : cases) {
    const Classified found = Classify(c.window);
    EXPECT_EQ(Name(found.bottleneck), "input_bound") << c.words;
    EXPECT_EQ(Name(found.host_cause), c.cause) << c.words;
  }
}

TEST(Bottlenecks, BurstsBetweenLongRestsAreNoBusyDevice) {
  Job job;
  job.ranks.resize(1);
  // Six seconds of work, then five idle, repeatedly: most windows contain a burst.
  const auto made = [](double rest_s, size_t times) {
    std::vector<GpuCounters> devices(1);
    int64_t at = 0;
    const auto put = [&](double seconds, double engine) {
      for (double s = 0; s < seconds; ++s) {
        at += 1000;
        for (const auto& [counter, value] : {std::pair{Role::kGpuGrEngineActiveRatio, engine},
                                             std::pair{Role::kGpuSmActiveRatio, 0.9 * engine},
                                             std::pair{Role::kGpuTensorActiveRatio, 0.5 * engine},
                                             std::pair{Role::kGpuDramActiveRatio, 0.3 * engine}}) {
          devices[0][counter].timestamp_ms.push_back(at);
          devices[0][counter].value.push_back(value);
        }
      }
    };
    for (size_t i = 0; i < times; ++i) {
      put(6, 0.98);
      put(rest_s, 0);
    }
    put(60, 0.98 * (times > 1 ? 0.5 : 1));
    return devices;
  };
  EXPECT_EQ(Name(FindBottlenecks({job, StepTable{}, made(5, 20)}).verdict), "input_bound");
  // A single occurrence is an incident.
  EXPECT_EQ(Name(FindBottlenecks({job, StepTable{}, made(20, 1)}).verdict), "compute_bound");
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
  // A rank with much of it makes the other wait, so only the smallest share counts.
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
  const std::pair<Role, double> constant[] = {
      {Role::kGpuGrEngineActiveRatio, 0.99}, {Role::kGpuSmActiveRatio, 0.9},
      {Role::kGpuSmOccupancyRatio, 0.1},     {Role::kGpuTensorActiveRatio, 0.0},
      {Role::kGpuDramActiveRatio, 0.3},      {Role::kGpuMemoryUsedBytes, 139e9},
      {Role::kGpuMemoryFreeBytes, 2e9},      {Role::kGpuThrottleReasons, 0x40},
      {Role::kGpuPowerWatts, 690},           {Role::kGpuPowerLimitWatts, 700},
      {Role::kGpuTemperatureCelsius, 88}};
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
  // Works except for eight seconds, which begin and end in the middle of a window.
  const std::pair<Role, double> working[] = {{Role::kGpuGrEngineActiveRatio, 0.98},
                                             {Role::kGpuSmActiveRatio, 0.9},
                                             {Role::kGpuTensorActiveRatio, 0.5},
                                             {Role::kGpuDramActiveRatio, 0.3},
                                             {Role::kGpuNvlinkRxBytesPerSecond, 1e10}};
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
