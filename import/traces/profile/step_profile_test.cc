#include "import/traces/profile/step_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "import/traces/kinds/kernel_class.h"

namespace lockstep::traces {
namespace {

constexpr int64_t kTicks = 200;  // nanoseconds

KinetoTrace RandomTrace(std::mt19937& random) {
  constexpr KernelClass kClasses[] = {KernelClass::kGemm, KernelClass::kCommunication,
                                      KernelClass::kElementwise, KernelClass::kMemcpy,
                                      KernelClass::kCommunication};
  KinetoTrace trace;
  trace.devices = {0};
  trace.collective_kinds = {{"all_reduce", "a"}, {"all_gather", ""}};
  const size_t count = random() % 30;
  for (size_t i = 1; i <= count; ++i) {
    DeviceEvent event;
    event.time.begin_ns = static_cast<int64_t>(random() % kTicks);
    event.time.end_ns =
        std::min<int64_t>(kTicks, event.time.begin_ns + static_cast<int64_t>(random() % 20));
    event.kernel_class = kClasses[random() % std::size(kClasses)];
    // All begins differ, so that exactly one event ends a gap.
    const bool is_taken = std::any_of(
        trace.device_events.begin(), trace.device_events.end(),
        [&](const DeviceEvent& other) { return other.time.begin_ns == event.time.begin_ns; });
    if (is_taken) continue;
    event.correlation = random() % 4 == 0 ? 0 : i;
    if (event.correlation != 0) {
      const int64_t launched = event.time.begin_ns - static_cast<int64_t>(random() % 30);
      trace.launches.push_back({{launched, launched + 1}, event.correlation});
    }
    if (event.kernel_class == KernelClass::kCommunication) {
      trace.collective_calls.push_back({event.time, static_cast<uint32_t>(random() % 2), 0, 2});
    }
    trace.device_events.push_back(event);
  }
  for (int64_t step = 0; step < 4; ++step) {
    trace.host_steps.push_back({step, {step * 50, (step + 1) * 50}, 0});
  }
  std::shuffle(trace.host_steps.begin(), trace.host_steps.end(), random);
  return trace;
}

// A device's activity in each tick: the model.
struct Tick {
  bool computes = false;
  bool communicates = false;
  bool copies = false;
  bool is_idle() const { return !computes && !communicates && !copies; }
};

std::vector<Tick> TicksOf(const KinetoTrace& trace) {
  std::vector<Tick> ticks(kTicks);
  for (const DeviceEvent& event : trace.device_events) {
    for (int64_t t = event.time.begin_ns; t < event.time.end_ns; ++t) {
      Tick& tick = ticks[static_cast<size_t>(t)];
      if (event.kernel_class == KernelClass::kCommunication) {
        tick.communicates = true;
      } else if (event.kernel_class == KernelClass::kMemcpy) {
        tick.copies = true;
      } else {
        tick.computes = true;
      }
    }
  }
  return ticks;
}

// Whether at idle tick `t` the host had not yet launched the device's next work.
bool IsUnlaunched(const KinetoTrace& trace, int64_t t) {
  const DeviceEvent* next = nullptr;
  for (const DeviceEvent& event : trace.device_events) {
    if (event.time.begin_ns <= t || event.time.length_ns() == 0) continue;
    if (next == nullptr || event.time.begin_ns < next->time.begin_ns) next = &event;
  }
  if (next == nullptr) return false;
  for (const LaunchCall& launch : trace.launches) {
    if (launch.correlation == next->correlation) return t < launch.time.begin_ns;
  }
  return false;
}

void CheckStep(const KinetoTrace& trace, const std::vector<Tick>& ticks, const DeviceStep& step) {
  double compute = 0, communication = 0, exposed = 0, copy = 0, idle = 0, longest = 0,
         unlaunched = 0;
  uint64_t gaps = 0;
  double run = 0;
  for (int64_t t = step.window.begin_ns; t < step.window.end_ns; ++t) {
    const Tick& tick = ticks[static_cast<size_t>(t)];
    compute += tick.computes;
    communication += tick.communicates;
    exposed += tick.communicates && !tick.computes;
    copy += tick.copies;
    idle += tick.is_idle();
    unlaunched += tick.is_idle() && IsUnlaunched(trace, t);
    gaps += tick.is_idle() && run == 0;
    run = tick.is_idle() ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const auto ticks_of = [](double seconds) { return seconds * 1e9; };
  EXPECT_NEAR(ticks_of(step.compute_seconds), compute, 1e-3);
  EXPECT_NEAR(ticks_of(step.communication_seconds), communication, 1e-3);
  EXPECT_NEAR(ticks_of(step.exposed_communication_seconds), exposed, 1e-3);
  EXPECT_NEAR(ticks_of(step.copy_seconds), copy, 1e-3);
  EXPECT_NEAR(ticks_of(step.idle_seconds), idle, 1e-3);
  EXPECT_NEAR(ticks_of(step.busy_seconds), 50 - idle, 1e-3);
  EXPECT_NEAR(ticks_of(step.longest_idle_seconds), longest, 1e-3);
  EXPECT_NEAR(ticks_of(step.unlaunched_seconds), unlaunched, 1e-3);
  EXPECT_EQ(step.gaps, gaps);
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    EXPECT_EQ(step.classes[i].count, static_cast<uint64_t>(std::count_if(
                                         trace.device_events.begin(), trace.device_events.end(),
                                         [&](const DeviceEvent& event) {
                                           return static_cast<size_t>(event.kernel_class) == i &&
                                                  event.time.begin_ns >= step.window.begin_ns &&
                                                  event.time.begin_ns < step.window.end_ns;
                                         })));
  }
}

void CheckCollectives(const KinetoTrace& trace, const DeviceStep& step) {
  std::map<uint32_t, std::vector<int64_t>> lengths;
  for (const CollectiveCall& call : trace.collective_calls) {
    if (call.time.begin_ns >= step.window.begin_ns && call.time.begin_ns < step.window.end_ns) {
      lengths[call.kind].push_back(call.time.length_ns());
    }
  }
  ASSERT_EQ(step.collectives.size(), lengths.size());
  for (const CollectiveTime& time : step.collectives) {
    const auto& expected = lengths[time.kind];
    EXPECT_EQ(time.count, expected.size());
    EXPECT_NEAR(time.shortest_seconds * 1e9,
                static_cast<double>(*std::min_element(expected.begin(), expected.end())), 1e-3);
    EXPECT_EQ(time.bytes, 2.0 * static_cast<double>(expected.size()));
  }
}

TEST(StepProfileTest, IsWhatEveryTickByItselfSays) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const KinetoTrace trace = RandomTrace(random);
    const TraceProfile profile = ProfileOf(trace);
    ASSERT_EQ(profile.host_steps.size(), 4u);
    ASSERT_EQ(profile.device_steps.size(), 4u);
    const auto ticks = TicksOf(trace);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(profile.device_steps[i].step, static_cast<int64_t>(i));
      CheckStep(trace, ticks, profile.device_steps[i]);
      CheckCollectives(trace, profile.device_steps[i]);
    }
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

DeviceEvent KernelAt(int64_t begin_ns, int64_t end_ns, uint16_t device = 0) {
  DeviceEvent event;
  event.time = {begin_ns, end_ns};
  event.device = device;
  event.kernel_class = KernelClass::kGemm;
  return event;
}

// The host runs ahead: it finishes step 1 before the device begins it.
TEST(StepProfileTest, RangesOnTheDeviceSayWhereItsStepsAre) {
  KinetoTrace trace;
  trace.devices = {0};
  trace.host_steps = {{1, {0, 10}, 0}, {2, {10, 20}, 0}};
  trace.device_steps = {{2, {130, 200}, 0}, {1, {100, 120}, 0}, {1, {90, 95}, 0}};
  trace.device_events = {KernelAt(90, 95), KernelAt(100, 120), KernelAt(130, 200)};
  const TraceProfile profile = ProfileOf(trace);
  ASSERT_EQ(profile.device_steps.size(), 2u);
  EXPECT_EQ(profile.device_steps[0].step, 1);
  EXPECT_EQ(profile.device_steps[0].window, (Interval{90, 130}));
  EXPECT_NEAR(profile.device_steps[0].compute_seconds, 25e-9, 1e-15);
  EXPECT_EQ(profile.device_steps[1].window, (Interval{130, 200}));
  EXPECT_EQ(profile.host_steps[0].window, (Interval{0, 10}));
}

TEST(StepProfileTest, ATraceWithoutStepsIsOne) {
  KinetoTrace trace;
  trace.devices = {5, 7};
  trace.device_events = {KernelAt(10, 20), KernelAt(30, 40), KernelAt(5, 8, 1)};
  trace.launches = {{{1, 3}, 1}, {{4, 6}, 2}};
  trace.host_phases = {{"optimizer", {2, 5}, 0}, {"optimizer", {4, 6}, 0}};
  const TraceProfile profile = ProfileOf(trace);
  ASSERT_EQ(profile.host_steps.size(), 1u);
  EXPECT_EQ(profile.host_steps[0].step, std::nullopt);
  EXPECT_EQ(profile.host_steps[0].launches, 2u);
  EXPECT_NEAR(profile.host_steps[0].launch_seconds, 4e-9, 1e-15);
  ASSERT_EQ(profile.host_steps[0].phases.size(), 1u);
  EXPECT_NEAR(profile.host_steps[0].phases[0].seconds, 4e-9, 1e-15);
  ASSERT_EQ(profile.device_steps.size(), 2u);
  EXPECT_EQ(profile.device_steps[0].window, (Interval{10, 40}));
  EXPECT_NEAR(profile.device_steps[0].idle_seconds, 10e-9, 1e-15);
  EXPECT_EQ(profile.device_steps[1].device, 1);
  EXPECT_EQ(profile.device_steps[1].window, (Interval{5, 8}));
}

TEST(StepProfileTest, StepsThatOverlapShareNoMoment) {
  KinetoTrace trace;
  trace.devices = {0};
  trace.host_steps = {{1, {0, 100}, 0}, {2, {40, 90}, 0}, {3, {40, 90}, 0}};
  trace.device_events = {KernelAt(0, 100)};
  double busy_seconds = 0;
  for (const DeviceStep& step : ProfileOf(trace).device_steps) busy_seconds += step.busy_seconds;
  EXPECT_NEAR(busy_seconds, 90e-9, 1e-15);
}

TEST(StepProfileTest, AnEmptyTraceHasNothing) {
  const TraceProfile profile = ProfileOf(KinetoTrace());
  EXPECT_TRUE(profile.host_steps.empty());
  EXPECT_TRUE(profile.device_steps.empty());
}

}  // namespace
}  // namespace lockstep::traces
