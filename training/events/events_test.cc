#include "training/events/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

Job JobWith(size_t ranks) {
  Job job;
  job.ranks.resize(ranks);
  return job;
}

// "hang 20 [1] " etc.
std::string Listed(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    text += std::string(Name(event.kind)) + " ";
    if (event.step.has_value()) text += std::to_string(*event.step) + " ";
    for (const size_t row : event.rows) text += "[" + std::to_string(row) + "] ";
  }
  return text;
}

std::string InSteps(const StepTable& table, std::optional<int64_t> now_ms = {}) {
  const Job job = JobWith(table.step_seconds.rows());
  return Listed(FindEvents({.job = job, .steps = table, .devices = {}, .now_ms = now_ms}));
}

TEST(Events, SpikesOfLossAndGradient) {
  StepTable table = EvenSteps(2, 100, 1.0);
  table.loss = RankMatrix(2, 100, 2.0);
  table.gradient_norm = RankMatrix(2, 100, 1.0);
  EXPECT_EQ(InSteps(table), "");
  table.loss(0, 30) = 8;  // one step of one rank is not a spike
  EXPECT_EQ(InSteps(table), "");
  for (size_t n = 50; n < 55; ++n) table.loss(0, n) = table.loss(1, n) = 6;
  table.gradient_norm(0, 50) = table.gradient_norm(1, 50) = 9;
  EXPECT_EQ(InSteps(table), "loss_spike 50 grad_spike 50 ");
  table.loss(1, 80) = kUnknown;
  EXPECT_EQ(InSteps(table), "loss_spike 50 grad_spike 50 nan 80 [1] ");
}

TEST(Events, AStandstillThatNothingTellsIsNoHang) {
  StepTable table = EvenSteps(3, 40, 1.0);
  PhaseColumn exchange{"allreduce", PhaseKind::kCommunication, RankMatrix(3, 40, 0.01)};
  exchange.seconds(1, 20) = 0.001;
  for (size_t row = 0; row < 3; ++row) table.step_seconds(row, 20) = 13;
  for (size_t n = 20; n < 40; ++n) table.end_ms[n] += 12'000;
  table.phases = {exchange};
  EXPECT_EQ(InSteps(table), "stall 20 ");
  PhaseColumn forward{"forward", PhaseKind::kForward, RankMatrix(3, 40, 0.9)};
  for (size_t row = 0; row < 3; ++row) forward.seconds(row, 20) = 12.9;
  table.phases.push_back(forward);
  EXPECT_EQ(InSteps(table), "hang 20 ");
}

TEST(Events, AHangIsTheRankThatWaitsLeast) {
  StepTable table = EvenSteps(3, 40, 1.0);
  PhaseColumn exchange{"allreduce", PhaseKind::kCommunication, RankMatrix(3, 40, 0.01)};
  for (size_t row = 0; row < 3; ++row) table.step_seconds(row, 20) = 13;
  for (size_t n = 20; n < 40; ++n) table.end_ms[n] += 12'000;
  exchange.seconds(0, 20) = exchange.seconds(2, 20) = 12;
  table.phases = {exchange};
  EXPECT_EQ(InSteps(table), "hang 20 [1] ");
  EXPECT_EQ(InSteps(table, table.end_ms.back() + 9'000), "hang 20 [1] ");
  EXPECT_EQ(InSteps(table, table.end_ms.back() + 11'000), "hang 20 [1] stall 39 ");
}

TEST(Events, ALeakGrowsForEver) {
  StepTable table = EvenSteps(2, 100, 1.0);
  table.memory_allocated_bytes = RankMatrix(2, 100, 1e9);
  EXPECT_EQ(InSteps(table), "");
  for (size_t n = 0; n < 100; ++n) {
    table.memory_allocated_bytes(0, n) = 1e9 + (n % 10 == 0 ? 9e9 : 0);  // temporary memory
    table.memory_allocated_bytes(1, n) = 1e9 + 1e6 * static_cast<double>(n);
  }
  EXPECT_EQ(InSteps(table), "memory_leak 0 [1] ");
  std::vector<GpuCounters> devices(2);
  devices[1][Role::kGpuMemoryFreeBytes] = {.timestamp_ms = {1}, .value = {1e9}};
  const Job job = JobWith(2);
  const std::vector<Event> events = FindEvents({.job = job, .steps = table, .devices = devices});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(events[0].evidence[0].value, 1e6, 1);
  EXPECT_NEAR(events[0].evidence[1].value, 1e9 / 1e6, 1);
}

void Fill(GpuCounters& device, Role role, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    device[role].timestamp_ms.push_back(static_cast<int64_t>(i + 1) * 1000);
    device[role].value.push_back(values[i]);
  }
}

std::string InDevices(const std::vector<GpuCounters>& devices) {
  const Job job = JobWith(devices.size());
  return Listed(FindEvents({.job = job, .steps = StepTable{}, .devices = devices}));
}

TEST(Events, DevicesReportTroubles) {
  std::vector<GpuCounters> devices(2);
  Fill(devices[0], Role::kGpuEccUncorrectedTotal, {3, 3, 4, 4});
  Fill(devices[0], Role::kGpuXid, {0, 79, 79, 79});
  Fill(devices[1], Role::kGpuRemappedRowsUncorrectableTotal, {0, 0, 0, 1});
  Fill(devices[1], Role::kGpuThrottleReasons, {0x4, 0x24, 0x4, 0x4});
  EXPECT_EQ(InDevices(devices), "throttled [1] ecc [0] xid [0] row_remap [1] ");
}

TEST(Events, OneDeviceIdlesWhileTheOthersSpin) {
  std::vector<GpuCounters> devices(3);
  for (size_t row = 0; row < 3; ++row) {
    const bool hangs = row == 1;
    Fill(devices[row], Role::kGpuGrEngineActiveRatio,
         {0.99, 0.99, hangs ? 0.0 : 1.0, hangs ? 0.0 : 1.0, hangs ? 0.0 : 1.0, 0.99});
    Fill(devices[row], Role::kGpuSmActiveRatio,
         {0.9, 0.9, hangs ? 0.0 : 0.18, hangs ? 0.0 : 0.18, hangs ? 0.0 : 0.18, 0.9});
  }
  EXPECT_EQ(InDevices(devices), "hang [1] ");
  // A pause of all devices is not a hang.
  for (GpuCounters& device : devices) {
    device[Role::kGpuGrEngineActiveRatio].value.assign(6, 0.0);
  }
  EXPECT_EQ(InDevices(devices), "");
}

TEST(Events, PowerThatSwingsNeedsEnoughSamples) {
  std::vector<double> swinging;
  for (int i = 0; i < 120; ++i) swinging.push_back(i % 10 < 5 ? 690 : 250);
  std::vector<GpuCounters> devices(1);
  Fill(devices[0], Role::kGpuPowerWatts, swinging);
  EXPECT_EQ(InDevices(devices), "saw_tooth_power [0] ");
  std::vector<double> steady(120, 690);
  steady[50] = 250;
  devices[0] = {};
  Fill(devices[0], Role::kGpuPowerWatts, steady);
  EXPECT_EQ(InDevices(devices), "");
  // Every second sample is low: actual swings may be a multiple as fast.
  std::vector<double> aliased;
  for (int i = 0; i < 120; ++i) aliased.push_back(i % 2 == 0 ? 690 : 250);
  devices[0] = {};
  Fill(devices[0], Role::kGpuPowerWatts, aliased);
  EXPECT_EQ(InDevices(devices), "");
}

// A NaN loss makes NaN gradients on all ranks.
TEST(Events, NoNumberIsOneEvent) {
  StepTable table = EvenSteps(2, 100, 1.0);
  table.loss = RankMatrix(2, 100, 2.0);
  table.gradient_norm = RankMatrix(2, 100, 1.0);
  for (size_t n = 60; n < 100; ++n) {
    table.loss(0, n) = table.loss(1, n) = kUnknown;
    table.gradient_norm(0, n) = table.gradient_norm(1, n) = kUnknown;
  }
  EXPECT_EQ(InSteps(table), "nan 60 [0] [1] ");
}

TEST(Events, ALossThatIsLoggedNowAndThenIsNotMissing) {
  StepTable table = EvenSteps(1, 200, 1.0);
  table.loss = RankMatrix(1, 200);
  for (size_t n = 0; n < 200; n += 10) table.loss(0, n) = 2.0;
  EXPECT_EQ(InSteps(table), "");
  for (size_t n = 120; n < 200; n += 10) table.loss(0, n) = kUnknown;
  EXPECT_EQ(InSteps(table), "nan 120 [0] ");
}

GpuCounters Sampled(size_t seconds, Role role, const std::function<double(size_t)>& value) {
  GpuCounters device;
  for (size_t s = 1; s <= seconds; ++s) {
    device[role].timestamp_ms.push_back(static_cast<int64_t>(1000 * s));
    device[role].value.push_back(value(s));
  }
  return device;
}

std::string OfDevice(const GpuCounters& device) {
  const Job job = JobWith(1);
  return Listed(FindEvents({.job = job, .steps = {}, .devices = {&device, 1}}));
}

TEST(Events, MemoryThatOnlyTheDeviceSeesLeaks) {
  const auto used = Role::kGpuMemoryUsedBytes;
  const auto leak = [](size_t s) { return 14e9 + 0.1e9 * static_cast<double>(s); };
  // A cache that fills up in the first half, and one that sometimes sees a larger batch.
  const auto cache = [](size_t s) { return 14e9 + 0.1e9 * std::min<double>(s, 30); };
  const auto stairs = [](size_t s) {
    const size_t stair = s / 20;
    return 14e9 + 2e9 * static_cast<double>(stair);
  };
  EXPECT_EQ(OfDevice(Sampled(60, used, leak)), "memory_leak [0] ");
  EXPECT_EQ(OfDevice(Sampled(60, used, cache)), "");
  EXPECT_EQ(OfDevice(Sampled(60, used, stairs)), "");
  // Memory of the trainer's allocator is covered by the trainer's own numbers.
  StepTable table = EvenSteps(1, 300, 0.2);
  table.memory_allocated_bytes = RankMatrix(1, 300);
  for (size_t n = 0; n < 300; ++n) {
    table.memory_allocated_bytes(0, n) = 1e10 + (n == 150 ? 0 : 2e7 * static_cast<double>(n));
  }
  const GpuCounters device = Sampled(60, used, leak);
  const Job job = JobWith(1);
  EXPECT_EQ(Listed(FindEvents({.job = job, .steps = table, .devices = {&device, 1}})).find("leak"),
            std::string::npos);
}

TEST(Events, OnlyRegularRestsMakeASawTooth) {
  const auto saw = [](uint64_t jitter, double low_w, double low_engine) {
    GpuCounters device;
    uint64_t state = 11;
    int64_t at = 0;
    for (size_t swing = 0; swing < 12; ++swing) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const size_t high_s = 5 + (jitter == 0 ? 0 : (state >> 33) % jitter);
      for (size_t s = 0; s < high_s + 5; ++s) {
        at += 1000;
        const bool is_low = s >= high_s;
        for (const auto& [role, value] :
             {std::pair{Role::kGpuPowerWatts, is_low ? low_w : 690.0},
              std::pair{Role::kGpuGrEngineActiveRatio, is_low ? low_engine : 0.98}}) {
          device[role].timestamp_ms.push_back(at);
          device[role].value.push_back(value);
        }
      }
    }
    return OfDevice(device);
  };
  EXPECT_EQ(saw(0, 130, 0.0), "saw_tooth_power [0] ");
  // Kernels of different kinds alternate: the device is never idle.
  EXPECT_EQ(saw(0, 480, 0.98), "");
  // Idle times at random.
  EXPECT_EQ(saw(40, 130, 0.0), "");
}

}  // namespace
}  // namespace lockstep::training
