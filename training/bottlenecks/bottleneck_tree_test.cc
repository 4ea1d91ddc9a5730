#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/bottlenecks/bottlenecks.h"
#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

std::string ClassOfWindow(const DeviceWindow& window) {
  const Classified found = Classify(window);
  return std::string(Name(found.bottleneck)) +
         (found.host_cause == HostCause::kUnknown ? "" : " " + std::string(Name(found.host_cause)));
}

// A busy device whose pipes are all counted.
DeviceWindow Busy(const std::function<void(DeviceWindow&)>& edit) {
  DeviceWindow window = {.engine = 1, .sm = 0.9, .tensor = 0, .fp64 = 0, .fp32 = 0, .fp16 = 0};
  window.dram = 0;
  window.nvlink_received = 0;
  window.link_bytes_per_s = 100;
  window.power_share = 0.4;
  edit(window);
  return window;
}

TEST(BottleneckTree, HowMuchADeviceIsIdleDecidesFirst) {
  EXPECT_EQ(ClassOfWindow({.engine = 0.0499, .sm = 0.04}), "idle");
  EXPECT_EQ(ClassOfWindow({.engine = 0.05, .sm = 0.04}), "input_bound");
  EXPECT_EQ(ClassOfWindow({.engine = 0.5999, .sm = 0.5}), "input_bound");
  EXPECT_EQ(ClassOfWindow({.engine = 0.6, .sm = 0.5, .tensor = 0.5, .dram = 0.1}), "compute_bound");
  EXPECT_EQ(ClassOfWindow({.sm = 0.5, .tensor = 0.5, .dram = 0.1}), "unknown");
}

TEST(BottleneckTree, WhatTheHostDoesMeanwhileIsTheCause) {
  // A gigabyte per second either way is more than a batch.
  EXPECT_EQ(ClassOfWindow({.engine = 0.01, .sm = 0.01, .pcie_received = 1e9, .pcie_sent = 1e9}),
            "idle");
  EXPECT_EQ(ClassOfWindow({.engine = 0.01, .sm = 0.01, .pcie_received = 1.1e9}),
            "input_bound copies");
  EXPECT_EQ(ClassOfWindow({.engine = 0.01, .sm = 0.01, .pcie_sent = 1.1e9}), "input_bound copies");
  EXPECT_EQ(ClassOfWindow({.engine = 0.5, .sm = 0.5, .pcie_sent = 1.1e9}), "input_bound copies");
  // Tiny kernels leave most SMs idle.
  EXPECT_EQ(ClassOfWindow({.engine = 0.5, .sm = 0.199}), "input_bound launches");
  EXPECT_EQ(ClassOfWindow({.engine = 0.5, .sm = 0.2}), "input_bound");
  EXPECT_EQ(ClassOfWindow({.engine = 0.5}), "input_bound");
}

TEST(BottleneckTree, ADeviceWithIdleSmsIsBusyInName) {
  EXPECT_EQ(ClassOfWindow(Busy([](auto& window) { window.sm = 0.0499; })), "fake_load");
  EXPECT_EQ(ClassOfWindow(Busy([](auto& window) { window.sm = 0.05; })), "waiting");
}

TEST(BottleneckTree, ADeviceThatExchangesMuchComputesLittle) {
  const auto found = [](double received, double tensor) {
    return ClassOfWindow(Busy([&](auto& window) {
      window.nvlink_received = received;
      window.tensor = tensor;
      window.dram = 0.4;
    }));
  };
  EXPECT_EQ(found(23, 0.09), "communication_bound");
  EXPECT_EQ(found(22, 0.09), "memory_bound");
  EXPECT_EQ(found(23, 0.101), "compute_bound");
}

TEST(BottleneckTree, ACollectivesKernelFillsFewSms) {
  const auto found = [](const std::function<void(DeviceWindow&)>& edit) {
    return ClassOfWindow(Busy([&](auto& window) {
      window.sm = 0.2999;
      window.dram = 0.04;
      edit(window);
    }));
  };
  EXPECT_EQ(found([](auto&) {}), "waiting");
  EXPECT_EQ(found([](auto& window) { window.dram = 0.05; }), "communication_bound");
  EXPECT_EQ(found([](auto& window) { window.dram = kUnknown; }), "communication_bound");
  EXPECT_EQ(found([](auto& window) { window.nvlink_received = 23; }), "communication_bound");
  EXPECT_EQ(found([](auto& window) { window.nvlink_received = 22; }), "waiting");
  EXPECT_EQ(found([](auto& window) {
              window.nvlink_received = 23;
              window.link_bytes_per_s = kUnknown;
            }),
            "waiting");
  // It uses no tensor cores, and a single rank has none.
  EXPECT_EQ(found([](auto& window) { window.tensor = 0.0199; }), "waiting");
  EXPECT_EQ(found([](auto& window) { window.tensor = 0.02; }), "latency_bound");
  EXPECT_EQ(found([](auto& window) { window.tensor = kUnknown; }), "waiting");
  EXPECT_EQ(found([](auto& window) { window.sm = 0.3; }), "latency_bound");
  EXPECT_EQ(found([](auto& window) { window.has_peers = false; }), "latency_bound");
}

TEST(BottleneckTree, MemoryThatIsBusierThanAnyPipeIsTheLimit) {
  const auto found = [](double dram, double pipe) {
    return ClassOfWindow(Busy([&](auto& window) {
      window.dram = dram;
      window.fp32 = pipe;
    }));
  };
  EXPECT_EQ(found(0.51, 0.33), "memory_bound");
  EXPECT_EQ(found(0.51, 0.35), "compute_bound");
  EXPECT_EQ(found(0.51, 0), "memory_bound");
  EXPECT_EQ(found(0.5, 0.33), "compute_bound");
  EXPECT_EQ(found(0.31, 0.1), "memory_bound");
  EXPECT_EQ(found(0.31, 0.11), "compute_bound");
  EXPECT_EQ(found(0.3, 0.1), "latency_bound");
}

TEST(BottleneckTree, SharesAreOfTheTimeInWhichTheDeviceIsBusy) {
  EXPECT_EQ(ClassOfWindow(Busy([](auto& window) {
              window.engine = 0.8;
              window.dram = 0.41;
            })),
            "memory_bound");
  EXPECT_EQ(ClassOfWindow(Busy([](auto& window) {
              window.engine = 0.8;
              window.fp64 = 0.09;
            })),
            "compute_bound");
}

TEST(BottleneckTree, AnyPipeMayBeTheBusiest) {
  for (double DeviceWindow::*const pipe :
       {&DeviceWindow::tensor, &DeviceWindow::fp64, &DeviceWindow::fp32, &DeviceWindow::fp16}) {
    EXPECT_EQ(ClassOfWindow(Busy([&](auto& window) { window.*pipe = 0.2; })), "compute_bound");
  }
}

TEST(BottleneckTree, WithoutAMemoryCounterOnlyABusyPipeTells) {
  const auto found = [](double pipe) {
    return ClassOfWindow(Busy([&](auto& window) {
      window.dram = kUnknown;
      window.tensor = pipe;
    }));
  };
  EXPECT_EQ(found(0.59), "compute_bound");
  EXPECT_EQ(found(0.58), "unknown");
}

TEST(BottleneckTree, PowerTellsWorkThatNoPipeCounts) {
  const auto found = [](double dram, double power, bool counts_all) {
    return ClassOfWindow(Busy([&](auto& window) {
      window.dram = dram;
      window.power_share = power;
      if (!counts_all) window.fp64 = kUnknown;
    }));
  };
  // Memory is hardly touched: at rest, at work, or neither.
  EXPECT_EQ(found(0.0199, 0.51, true), "compute_bound");
  EXPECT_EQ(found(0.0199, 0.5, true), "unknown");
  EXPECT_EQ(found(0.0199, 0.3, true), "unknown");
  EXPECT_EQ(found(0.0199, 0.299, true), "fake_load");
  EXPECT_EQ(found(0.0199, kUnknown, true), "unknown");
  // Memory draws power as well.
  EXPECT_EQ(found(0.02, 0.71, true), "compute_bound");
  EXPECT_EQ(found(0.02, 0.7, true), "latency_bound");
  EXPECT_EQ(found(0.0999, 0.71, true), "compute_bound");
  EXPECT_EQ(found(0.1, 0.71, true), "latency_bound");
  // Without all pipes, only a device at its limit works for certain.
  EXPECT_EQ(found(0.2, 0.91, false), "compute_bound");
  EXPECT_EQ(found(0.2, 0.9, false), "unknown");
  EXPECT_EQ(found(0.2, 0.5, false), "unknown");
  EXPECT_EQ(found(0.2, 0.499, false), "latency_bound");
  EXPECT_EQ(found(0.2, kUnknown, false), "unknown");
  EXPECT_EQ(found(0.31, 0.91, false), "compute_bound");
  EXPECT_EQ(found(0.31, 0.9, false), "memory_bound");
  EXPECT_EQ(found(0.31, 0.91, true), "memory_bound");
}

TEST(BottleneckTree, TheMarginIsThatOfTheClosestQuestion) {
  EXPECT_DOUBLE_EQ(Classify({.engine = 0.025}).margin, 0.5);
  EXPECT_DOUBLE_EQ(Classify({.engine = 0.45}).margin, 0.25);
  // 0.9 is half more than 0.6; of the busy time, memory takes 0.2 instead of 0.5, the pipe 0.9.
  EXPECT_DOUBLE_EQ(Classify({.engine = 0.9, .sm = 0.9, .tensor = 0.81, .dram = 0.18}).margin, 0.5);
  EXPECT_DOUBLE_EQ(Classify({.engine = 0.9, .sm = 0.9, .tensor = 0.81, .dram = 0.36}).margin, 0.2);
  EXPECT_TRUE(std::isnan(Classify({}).margin));
}

TEST(BottleneckTree, ThreeClassesAreWork) {
  using enum BottleneckClass;
  for (const BottleneckClass one : {kMemoryBound, kLatencyBound, kComputeBound}) {
    EXPECT_TRUE(IsWork(one)) << Name(one);
  }
  for (const BottleneckClass one :
       {kIdle, kInputBound, kFakeLoad, kWaiting, kCommunicationBound, kUnknown}) {
    EXPECT_FALSE(IsWork(one)) << Name(one);
  }
}

void Hold(GpuCounters& device, Role role, double value, int64_t seconds = 60,
          int64_t period_ms = 1000) {
  device[role] = {};
  for (int64_t at = period_ms; at <= 1000 * seconds; at += period_ms) {
    device[role].timestamp_ms.push_back(at);
    device[role].value.push_back(value);
  }
}

GpuCounters Computing(int64_t seconds = 60, int64_t period_ms = 1000) {
  GpuCounters device;
  Hold(device, Role::kGpuGrEngineActiveRatio, 0.98, seconds, period_ms);
  Hold(device, Role::kGpuSmActiveRatio, 0.9, seconds, period_ms);
  Hold(device, Role::kGpuTensorActiveRatio, 0.5, seconds, period_ms);
  Hold(device, Role::kGpuDramActiveRatio, 0.3, seconds, period_ms);
  return device;
}

std::string FlagsWith(const std::vector<std::pair<Role, double>>& counters) {
  Job job;
  job.ranks.resize(1);
  std::vector<GpuCounters> devices = {Computing()};
  for (const auto& [role, value] : counters) Hold(devices[0], role, value);
  std::string text;
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, devices});
  for (const BottleneckFlag flag : answer.gpus.at(0).flags) text += std::string(Name(flag)) + " ";
  return text;
}

TEST(BottleneckFlags, HoldFromTheirLimitsOn) {
  EXPECT_EQ(FlagsWith({}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuThrottleReasons, 0x20}}), "throttled ");
  EXPECT_EQ(FlagsWith({{Role::kGpuThrottleReasons, 0x8}}), "power_braked ");
  EXPECT_EQ(FlagsWith({{Role::kGpuRowRemapFailure, 1}}), "unhealthy ");
  EXPECT_EQ(FlagsWith({{Role::kGpuPowerWatts, 97}, {Role::kGpuPowerLimitWatts, 100}}),
            "power_capped ");
  EXPECT_EQ(FlagsWith({{Role::kGpuPowerWatts, 96}, {Role::kGpuPowerLimitWatts, 100}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuTemperatureCelsius, 85}}), "hot ");
  EXPECT_EQ(FlagsWith({{Role::kGpuTemperatureCelsius, 84}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuTemperatureCelsius, 60}, {Role::kGpuThermalMarginCelsius, 5}}),
            "hot ");
  EXPECT_EQ(FlagsWith({{Role::kGpuTemperatureCelsius, 90}, {Role::kGpuThermalMarginCelsius, 6}}),
            "");
  EXPECT_EQ(FlagsWith({{Role::kGpuMemoryUsedBytes, 96}, {Role::kGpuMemoryFreeBytes, 4}}),
            "memory_nearly_full ");
  EXPECT_EQ(FlagsWith({{Role::kGpuMemoryUsedBytes, 95}, {Role::kGpuMemoryFreeBytes, 5}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuSmOccupancyRatio, 0.19}}), "low_occupancy ");
  EXPECT_EQ(FlagsWith({{Role::kGpuSmOccupancyRatio, 0.21}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuSmOccupancyRatio, 0.1}, {Role::kGpuSmActiveRatio, 0.5}}),
            "low_occupancy ");
  EXPECT_EQ(FlagsWith({{Role::kGpuSmOccupancyRatio, 0.1}, {Role::kGpuSmActiveRatio, 0.49}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.009}}), "no_tensor_cores ");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.01}}), "few_tensor_cores ");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.149}}), "few_tensor_cores ");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.15}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.009}, {Role::kGpuSmActiveRatio, 0.29}}), "");
  EXPECT_EQ(FlagsWith({{Role::kGpuTensorActiveRatio, 0.1}, {Role::kGpuSmActiveRatio, 0.29}}), "");
}

// "from-to" in seconds of the first and the last of so many windows.
std::string WindowsText(const BottleneckAnswer& answer) {
  if (answer.windows.empty()) return "none";
  const auto seconds = [](int64_t ms) { return static_cast<double>(ms) / 1000; };
  return absl::StrFormat(
      "%d: %g-%g, %g-%g", answer.windows.size(), seconds(answer.windows.front().time.min_ms),
      seconds(answer.windows.front().time.max_ms), seconds(answer.windows.back().time.min_ms),
      seconds(answer.windows.back().time.max_ms));
}

TEST(BottleneckWindows, AreAsLongAsTheirSamplesAndStepsNeed) {
  Job job;
  job.ranks.resize(1);
  const auto windows = [&job](const StepTable& steps, const GpuCounters& device) {
    return WindowsText(FindBottlenecks({job, steps, {&device, 1}}));
  };
  EXPECT_EQ(windows({}, Computing()), "12: 0-5, 55-60");
  EXPECT_EQ(windows(EvenSteps(1, 60, 1.0), Computing()), "6: 0-10, 50-60");
  EXPECT_EQ(windows({}, Computing(60, 2000)), "10: 0-6, 54-60");
  EXPECT_EQ(windows({}, Computing(4)), "none");
  EXPECT_EQ(windows({}, Computing(5)), "1: 0-5, 0-5");
  EXPECT_EQ(windows({}, {}), "none");
  // The first six seconds of a job are warm-up,
  job.begin_ms = 2000;
  EXPECT_EQ(windows({}, Computing()), "10: 8-13, 53-58");
  // unless the attempt is so short that its first step must do.
  EXPECT_EQ(windows(EvenSteps(1, 30, 0.4), Computing(12)), "2: 2-7, 7-12");
  EXPECT_EQ(windows({}, Computing(12)), "none");
}

TEST(BottleneckWindows, CoverAllDevices) {
  Job job;
  job.ranks.resize(3);
  std::vector<GpuCounters> devices(3);
  devices[0] = Computing(30);
  devices[2] = Computing(60, 3000);
  EXPECT_EQ(WindowsText(FindBottlenecks({job, StepTable{}, devices})), "6: -2-7, 43-52");
}

std::string EvidenceText(const std::vector<Evidence>& evidence) {
  std::string text;
  for (const Evidence& one : evidence) {
    absl::StrAppendFormat(&text, "%s=%.3g %s\n", one.signal, one.value, one.unit);
  }
  return text;
}

TEST(Bottlenecks, EvidenceIsTheMeanOfEachCounter) {
  Job job;
  job.ranks.resize(1);
  std::vector<GpuCounters> devices = {Computing()};
  devices[0].model = "NVIDIA H200";  // of 700 W
  Hold(devices[0], Role::kGpuSmOccupancyRatio, 0.25);
  Hold(devices[0], Role::kGpuFp64ActiveRatio, 0.01);
  Hold(devices[0], Role::kGpuFp32ActiveRatio, 0.02);
  Hold(devices[0], Role::kGpuFp16ActiveRatio, 0.03);
  Hold(devices[0], Role::kGpuNvlinkRxBytesPerSecond, 5e9);
  Hold(devices[0], Role::kGpuPcieRxBytesPerSecond, 6e7);
  Hold(devices[0], Role::kGpuPowerWatts, 350);
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, devices});
  EXPECT_EQ(EvidenceText(answer.gpus[0].evidence),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE=0.98 ratio\nDCGM_FI_PROF_SM_ACTIVE=0.9 ratio\n"
            "DCGM_FI_PROF_SM_OCCUPANCY=0.25 ratio\nDCGM_FI_PROF_PIPE_TENSOR_ACTIVE=0.5 ratio\n"
            "DCGM_FI_PROF_PIPE_FP64_ACTIVE=0.01 ratio\nDCGM_FI_PROF_PIPE_FP32_ACTIVE=0.02 ratio\n"
            "DCGM_FI_PROF_PIPE_FP16_ACTIVE=0.03 ratio\nDCGM_FI_PROF_DRAM_ACTIVE=0.3 ratio\n"
            "DCGM_FI_PROF_NVLINK_RX_BYTES=5e+09 bytes/s\nDCGM_FI_PROF_PCIE_RX_BYTES=6e+07 bytes/s\n"
            "power_share_of_limit=0.5 ratio\n");
  EXPECT_EQ(answer.gpus[0].evidence[0].words, "mean over the windows of this class");
  // The limit that the device reports wins.
  Hold(devices[0], Role::kGpuPowerLimitWatts, 500);
  EXPECT_DOUBLE_EQ(FindBottlenecks({job, StepTable{}, devices}).gpus[0].evidence.back().value, 0.7);
  devices[0][Role::kGpuPowerLimitWatts] = {};
  devices[0].model = "NVIDIA H200 MIG 1g.18gb";
  EXPECT_EQ(FindBottlenecks({job, StepTable{}, devices}).gpus[0].evidence.back().signal,
            "DCGM_FI_PROF_PCIE_RX_BYTES");
}

TEST(Bottlenecks, MissingCountersAreNamed) {
  Job job;
  job.ranks.resize(2);
  std::vector<GpuCounters> devices(2);
  const BottleneckAnswer nothing = FindBottlenecks({job, StepTable{}, devices});
  EXPECT_EQ(nothing.missing,
            (std::vector<std::string>{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE",
                                      "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
                                      "DCGM_FI_PROF_NVLINK_RX_BYTES"}));
  EXPECT_EQ(nothing.confidence.missing.back(),
            "device samples for at least two windows, each of 5 s, 10 steps and 2 samples");
  EXPECT_EQ(nothing.confidence.missing.size(), 6u);
  EXPECT_EQ(Name(nothing.verdict), "unknown");
  devices[1] = Computing();
  const BottleneckAnswer one = FindBottlenecks({job, EvenSteps(2, 60, 1.0), devices});
  EXPECT_EQ(one.missing, std::vector<std::string>{"DCGM_FI_PROF_NVLINK_RX_BYTES"});
  EXPECT_EQ(one.confidence.missing, one.missing);
  EXPECT_EQ(one.confidence.steps, 60u);
  EXPECT_EQ(one.confidence.samples, 60u);
  EXPECT_EQ(Name(one.verdict), "compute_bound");
  EXPECT_EQ(one.gpus[0].share[static_cast<size_t>(BottleneckClass::kUnknown)], 1);
}

TEST(Bottlenecks, AJobWithMoreRanksThanReportHasPeers) {
  Job job;
  job.ranks.resize(1);
  GpuCounters device = Computing();
  Hold(device, Role::kGpuSmActiveRatio, 0.18);
  Hold(device, Role::kGpuTensorActiveRatio, 0);
  Hold(device, Role::kGpuDramActiveRatio, 0.001);
  const auto verdict = [&](int64_t world_size) {
    return Name(FindBottlenecks({job, StepTable{}, {&device, 1}, world_size}).verdict);
  };
  EXPECT_EQ(verdict(0), "unknown");
  EXPECT_EQ(verdict(1), "unknown");
  EXPECT_EQ(verdict(2), "waiting");
}

TEST(Bottlenecks, StepsThatEndWhileADeviceIsIdleWaitForTheirHost) {
  Job job;
  job.ranks.resize(1);
  GpuCounters device = Computing();
  Hold(device, Role::kGpuGrEngineActiveRatio, 0.01);
  Hold(device, Role::kGpuSmActiveRatio, 0.01);
  EXPECT_EQ(Name(FindBottlenecks({job, StepTable{}, {&device, 1}}).verdict), "idle");
  EXPECT_EQ(Name(FindBottlenecks({job, EvenSteps(1, 60, 1.0), {&device, 1}}).verdict),
            "input_bound");
}

// Two ranks whose steps spend such shares in a phase.
BottleneckAnswer BySteps(const char* phase, double first, double second) {
  Job job;
  job.ranks.resize(2);
  StepTable table = EvenSteps(2, 20, 1.0);
  RankMatrix seconds(2, 20, first);
  for (double& value : seconds.Row(1)) value = second;
  table.phases = {{phase, PhaseKindOf(phase), std::move(seconds)}};
  return FindBottlenecks({job, table, {}});
}

TEST(Bottlenecks, SharesOfStepsDecideAboveTheirLimits) {
  const struct {
    const char* phase;
    double first;
    double second;
    const char* verdict;
  } rows[] = {
      {"data", 0.3125, 0.5, "input_bound"},   {"data", 0.5, 0.25, "unknown"},
      {"h2d", 0.3125, 0.3125, "input_bound"}, {"allreduce", 0.5625, 0.75, "communication_bound"},
      {"allreduce", 0.5, 0.75, "unknown"},    {"wait", 0.9, 0.9, "unknown"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Name(BySteps(row.phase, row.first, row.second).verdict), row.verdict) << row.phase;
  }
  const BottleneckAnswer input = BySteps("data", 0.375, 0.5);
  EXPECT_EQ(EvidenceText(input.evidence), "input_share=0.375 share of the step\n");
  EXPECT_EQ(input.evidence[0].reference, 0.3);
  EXPECT_EQ(input.evidence[0].words, "of all step time, on the rank that spends the least");
  EXPECT_EQ(Name(input.host_cause), "data");
  EXPECT_DOUBLE_EQ(input.confidence.margin, 0.25);
  const BottleneckAnswer exchange = BySteps("allreduce", 0.75, 0.75);
  EXPECT_EQ(EvidenceText(exchange.evidence), "communication_share=0.75 share of the step\n");
  EXPECT_EQ(exchange.evidence[0].reference, 0.5);
  EXPECT_EQ(Name(exchange.host_cause), "unknown");
}

TEST(Bottlenecks, TheFirstStepOfAnAttemptIsNotCounted) {
  Job job;
  job.ranks.resize(1);
  StepTable table = EvenSteps(1, 4, 1.0);
  RankMatrix data(1, 4, 0.25);
  data(0, 0) = 1;
  table.phases = {{"data", PhaseKind::kData, data}};
  EXPECT_EQ(FindBottlenecks({job, table, {}}).evidence[0].value, 1.75 / 4);
  table.attempt_first_step = 0;
  EXPECT_EQ(FindBottlenecks({job, table, {}}).evidence[0].value, 0.25);
  table.phases[0].seconds(0, 2) = kUnknown;
  table.step_seconds(0, 3) = kUnknown;
  EXPECT_EQ(FindBottlenecks({job, table, {}}).evidence[0].value, 0.25);
}

TEST(Bottlenecks, ADeviceThatIsIdleAFifthOfTheTimeAgreesWithSteps) {
  Job job;
  job.ranks.resize(1);
  StepTable table = EvenSteps(1, 60, 1.0);
  table.phases = {{"data", PhaseKind::kData, RankMatrix(1, 60, 0.4)}};
  const auto found = [&](double engine) {
    GpuCounters device = Computing();
    Hold(device, Role::kGpuGrEngineActiveRatio, engine);
    const BottleneckAnswer answer = FindBottlenecks({job, table, {&device, 1}});
    EXPECT_EQ(Name(answer.verdict), "input_bound");
    return std::string(Name(answer.gpus[0].bottleneck)) + " " +
           std::string(Name(answer.gpus[0].host_cause));
  };
  EXPECT_EQ(found(0.79), "input_bound data");
  EXPECT_EQ(found(0.81), "compute_bound unknown");
  EXPECT_EQ(found(0.5), "input_bound data");
}

TEST(Bottlenecks, TheMarginIsTheLeastOfItsWindows) {
  Job job;
  job.ranks.resize(2);
  std::vector<GpuCounters> devices = {Computing(), Computing()};
  // Of one device, the memory is a little busier for five seconds.
  for (size_t i = 20; i < 25; ++i) devices[1][Role::kGpuDramActiveRatio].value[i] = 0.4;
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, devices});
  EXPECT_NEAR(answer.gpus[0].least_margin, 1 - 0.3 / 0.98 / 0.5, 1e-9);
  EXPECT_NEAR(answer.gpus[1].least_margin, 1 - 0.4 / 0.98 / 0.5, 1e-9);
  EXPECT_EQ(answer.confidence.margin, answer.gpus[1].least_margin);
}

// A device that computes, except in some seconds, in which its counters are those of `other`.
GpuCounters ComputingExcept(const GpuCounters& other, int64_t from_s, int64_t to_s) {
  GpuCounters device = Computing();
  for (const Role role : kDeviceRoles) {
    for (size_t i = 0; i < other[role].value.size(); ++i) {
      const int64_t at_s = other[role].timestamp_ms[i] / 1000;
      if (at_s > from_s && at_s <= to_s) device[role].value.at(i) = other[role].value[i];
    }
  }
  return device;
}

GpuCounters Idling() {
  GpuCounters device = Computing();
  for (const Role role : {Role::kGpuGrEngineActiveRatio, Role::kGpuSmActiveRatio,
                          Role::kGpuTensorActiveRatio, Role::kGpuDramActiveRatio}) {
    Hold(device, role, 0);
  }
  return device;
}

TEST(Bottlenecks, TheClassIsThatOfMostWindowsAndEvidenceOfThem) {
  Job job;
  job.ranks.resize(1);
  GpuCounters streaming = Computing();
  Hold(streaming, Role::kGpuTensorActiveRatio, 0);
  Hold(streaming, Role::kGpuDramActiveRatio, 0.9);
  const GpuCounters device = ComputingExcept(streaming, 20, 40);
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, {&device, 1}});
  EXPECT_EQ(Name(answer.verdict), "compute_bound");
  EXPECT_DOUBLE_EQ(answer.gpus[0].evidence.back().value, 0.3);  // of the memory
  EXPECT_DOUBLE_EQ(answer.gpus[0].share[static_cast<size_t>(BottleneckClass::kMemoryBound)],
                   4.0 / 12);
}

TEST(Bottlenecks, TheHostsCauseIsThatOfMostWindows) {
  Job job;
  job.ranks.resize(1);
  GpuCounters device = Computing();
  Hold(device, Role::kGpuGrEngineActiveRatio, 0.4);
  Hold(device, Role::kGpuSmActiveRatio, 0.1);
  const BottleneckAnswer answer = FindBottlenecks({job, StepTable{}, {&device, 1}});
  EXPECT_EQ(Name(answer.verdict), "input_bound");
  EXPECT_EQ(Name(answer.gpus[0].host_cause), "launches");
  EXPECT_EQ(Name(answer.host_cause), "launches");
}

TEST(Bottlenecks, TheTimeBeforeAndAfterTheStepsDoesNotCount) {
  Job job;
  job.ranks.resize(1);
  // Idle for the first 40 of 60 seconds, or for the last 40.
  const GpuCounters late = ComputingExcept(Idling(), 0, 40);
  EXPECT_EQ(Name(FindBottlenecks({job, EvenSteps(1, 40, 0.5, 40'000), {&late, 1}}).verdict),
            "compute_bound");
  const GpuCounters early = ComputingExcept(Idling(), 20, 60);
  EXPECT_EQ(Name(FindBottlenecks({job, EvenSteps(1, 40, 0.5), {&early, 1}}).verdict),
            "compute_bound");
}

TEST(Bottlenecks, AHangDoesNotCount) {
  Job job;
  job.ranks.resize(1);
  StepTable table = EvenSteps(1, 41, 0.5);
  table.step_seconds(0, 20) = 40;
  for (size_t n = 20; n < 41; ++n) table.end_ms[n] += 39'500;
  const GpuCounters device = ComputingExcept(Idling(), 10, 50);
  EXPECT_EQ(Name(FindBottlenecks({job, table, {&device, 1}}).verdict), "compute_bound");
}

TEST(Bottlenecks, ALinkCarriesHalfOfItsRateEachWay) {
  Job job;
  job.ranks.resize(2);
  const auto verdict = [&job](double received) {
    std::vector<GpuCounters> devices = {Computing(), Computing()};
    for (GpuCounters& device : devices) {
      device.model = "NVIDIA H200";  // 900 GB/s in both directions
      Hold(device, Role::kGpuTensorActiveRatio, 0.05);
      Hold(device, Role::kGpuDramActiveRatio, 0.6);
      Hold(device, Role::kGpuNvlinkRxBytesPerSecond, received);
    }
    return Name(FindBottlenecks({job, StepTable{}, devices}).verdict);
  };
  EXPECT_EQ(verdict(1e11), "communication_bound");
  EXPECT_EQ(verdict(0.98e11), "memory_bound");
}

TEST(Bottlenecks, CountersOfClassesAreThoseOfThePipes) {
  const auto counters = CountersOfClasses();
  EXPECT_EQ(counters.size(), 12u);
  for (const Role role : {Role::kGpuGrEngineActiveRatio, Role::kGpuPowerLimitWatts}) {
    EXPECT_NE(std::find(counters.begin(), counters.end(), role), counters.end());
  }
}

}  // namespace
}  // namespace lockstep::training
