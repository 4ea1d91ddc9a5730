#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/events/events.h"
#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// Samples a second apart, the first at 1 s.
CounterSeries EverySecond(const std::vector<double>& values) {
  CounterSeries series;
  for (const double value : values) {
    series.timestamp_ms.push_back(1000 * static_cast<int64_t>(series.value.size() + 1));
    series.value.push_back(value);
  }
  return series;
}

CounterSeries EverySecond(size_t count, const std::function<double(size_t)>& value) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(value(i));
  return EverySecond(values);
}

std::vector<Event> EventsOfDevices(const std::vector<GpuCounters>& devices) {
  Job job;
  job.ranks.resize(devices.size());
  return FindEvents({.job = job, .steps = StepTable{}, .devices = devices});
}

std::vector<Event> EventsOfSteps(const StepTable& table, const std::vector<GpuCounters>& devices,
                                 std::optional<int64_t> now_ms = {}) {
  Job job;
  job.ranks.resize(std::max(table.step_seconds.rows(), devices.size()));
  return FindEvents({.job = job, .steps = table, .devices = devices, .now_ms = now_ms});
}

// "xid 2-3 s: words; signal value/reference unit (words)", one a line.
std::string Told(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    absl::StrAppendFormat(&text, "%s %g-%g s: %s", Name(event.kind), event.time.min_ms / 1000.0,
                          event.time.max_ms / 1000.0, event.words);
    for (const Evidence& one : event.evidence) {
      absl::StrAppendFormat(&text, "; %s %g/%g %s (%s)", one.signal, one.value, one.reference,
                            one.unit, one.words);
    }
    text += "\n";
  }
  return text;
}

std::string ToldOf(Role role, const std::vector<double>& values) {
  std::vector<GpuCounters> devices(1);
  devices[0][role] = EverySecond(values);
  return Told(EventsOfDevices(devices));
}

TEST(EventWords, OfCountersOfErrors) {
  EXPECT_EQ(ToldOf(Role::kGpuEccUncorrectedTotal, {3, 3, 5, 2, 2}),
            "ecc 2-3 s: uncorrectable memory error: results since the last checkpoint are suspect; "
            "drain the node; DCGM_FI_DEV_ECC_DBE_VOL_TOTAL 5/3 count (up from the previous "
            "sample)\n");
  EXPECT_EQ(ToldOf(Role::kGpuRemappedRowsUncorrectableTotal, {0, 1}),
            "row_remap 1-2 s: a memory row was remapped after an uncorrectable error; reset the "
            "GPU when idle; DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS 1/0 count (up from the "
            "previous sample)\n");
  EXPECT_EQ(ToldOf(Role::kGpuRowRemapFailure, {0, 1}),
            "row_remap 1-2 s: a memory row could not be remapped; drain the node; "
            "DCGM_FI_DEV_ROW_REMAP_FAILURE 1/0 count (up from the previous sample)\n");
  EXPECT_EQ(ToldOf(Role::kGpuEccUncorrectedTotal, {3, 3, kUnknown, 5}), "");
}

TEST(EventWords, OfXids) {
  const std::string fell = "bus: GPU fell off the PCIe bus: power, seating, thermal (drain)";
  const std::string once = fell + "; DCGM_FI_DEV_XID_ERRORS 79/nan code (" + fell + ")\n";
  EXPECT_EQ(ToldOf(Role::kGpuXid, {0, 79, 79}), "xid 2-2 s: " + once);
  EXPECT_EQ(ToldOf(Role::kGpuXid, {79, kUnknown, 79}), "xid 1-1 s: " + once);
  EXPECT_EQ(ToldOf(Role::kGpuXid, {79, 0, 79}), "xid 1-1 s: " + once + "xid 3-3 s: " + once);
  EXPECT_EQ(ToldOf(Role::kGpuXid, {0, 1000}),
            "xid 2-2 s: a code with no known meaning for the device; DCGM_FI_DEV_XID_ERRORS "
            "1000/nan code (a code with no known meaning for the device)\n");
  EXPECT_EQ(ToldOf(Role::kGpuXid, {0, -1, 1e6}), "");
}

TEST(EventWords, OfClocksThatAreHeldDown) {
  std::vector<GpuCounters> devices(2);
  devices[0][Role::kGpuPowerWatts] = EverySecond({1, 1, 1, 1});
  devices[0][Role::kGpuThrottleReasons] = {{2000, 3000}, {0x40, 0x80}};
  EXPECT_EQ(Told(EventsOfDevices(devices)),
            "throttled 1-4 s: heat lowers the clocks at least 5 % of the time\n"
            "power_braked 1-4 s: the board or the power supply forced the clocks down\n");
}

// Power that is high for some samples and low for as many.
std::string ToldOfPower(size_t high_samples, size_t low_samples, double low_w, size_t swings) {
  std::vector<GpuCounters> devices(1);
  const size_t period = high_samples + low_samples;
  devices[0][Role::kGpuPowerWatts] = EverySecond(
      swings * period, [&](size_t i) { return i % period < high_samples ? 690 : low_w; });
  return Told(EventsOfDevices(devices));
}

TEST(EventWords, OfPowerThatSwings) {
  EXPECT_EQ(ToldOfPower(5, 5, 250, 10),
            "saw_tooth_power 1-100 s: power falls and rises at regular intervals: the device idles "
            "in between; DCGM_FI_DEV_POWER_USAGE 440/172.5 W (swings every 10.0 s)\n");
  // By a quarter of the highest.
  EXPECT_NE(ToldOfPower(5, 5, 517, 10), "");
  EXPECT_EQ(ToldOfPower(5, 5, 518, 10), "");
  // Four times: the first rise ends no interval.
  EXPECT_NE(ToldOfPower(5, 5, 250, 6), "");
  EXPECT_EQ(ToldOfPower(5, 5, 250, 5), "");
  // In less than a minute.
  EXPECT_NE(ToldOfPower(30, 29, 250, 10), "");
  EXPECT_EQ(ToldOfPower(30, 30, 250, 10), "");
  // With at least four samples of each swing.
  EXPECT_NE(ToldOfPower(2, 2, 250, 20), "");
  EXPECT_EQ(ToldOfPower(2, 1, 250, 20), "");
}

TEST(EventWords, PowerThatSwingsInKnownPausesIsNoNews) {
  // A checkpoint of ten seconds after every hundred steps of 0.2 s.
  StepTable table = EvenSteps(1, 1000, 0.2);
  PhaseColumn checkpoint{"checkpoint", PhaseKind::kCheckpoint, RankMatrix(1, 1000)};
  int64_t at_ms = 0;
  for (size_t n = 0; n < 1000; ++n) {
    if (n % 100 == 99) {
      checkpoint.seconds(0, n) = 10;
      table.step_seconds(0, n) = 10.2;
    }
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  std::vector<GpuCounters> devices(1);
  devices[0][Role::kGpuPowerWatts] =
      EverySecond(299, [](size_t i) { return i % 30 < 20 ? 690 : 250; });
  const auto kinds = [&] {
    std::string text;
    for (const Event& event : EventsOfSteps(table, devices)) {
      if (event.kind != EventKind::kCheckpoint) text += std::string(Name(event.kind)) + " ";
    }
    return text;
  };
  table.phases = {checkpoint};
  EXPECT_EQ(kinds(), "");
  table.phases = {{"data", PhaseKind::kData, checkpoint.seconds}};
  EXPECT_NE(kinds().find("saw_tooth_power"), std::string::npos);
}

// Three devices of which the second hangs in some samples while the others spin.
std::vector<GpuCounters> Hanging(const std::vector<bool>& hangs) {
  std::vector<GpuCounters> devices(3);
  for (size_t row = 0; row < 3; ++row) {
    devices[row][Role::kGpuGrEngineActiveRatio] = EverySecond(hangs.size(), [&](size_t i) {
      return !hangs[i] ? 0.99 : row == 1 ? 0.01 : 0.95;
    });
    devices[row][Role::kGpuSmActiveRatio] = EverySecond(hangs.size(), [&](size_t i) {
      return !hangs[i] ? 0.9 : row == 1 ? 0.01 : 0.18;
    });
  }
  return devices;
}

TEST(EventWords, OfADeviceThatHangs) {
  const std::string words =
      " s: its device is idle while all others spin in a collective; "
      "DCGM_FI_PROF_GR_ENGINE_ACTIVE 0.01/0.05 ratio (on the rank that hangs)\n";
  EXPECT_EQ(Told(EventsOfDevices(Hanging({false, false, true, true, true, true, false}))),
            "hang 2-6" + words);
  EXPECT_EQ(Told(EventsOfDevices(Hanging({true, true, false}))), "hang 1-2" + words);
  EXPECT_EQ(Told(EventsOfDevices(Hanging({false, true, true, false, true, true}))),
            "hang 1-3" + words + "hang 4-6" + words);
  EXPECT_EQ(Told(EventsOfDevices(Hanging({false, true, false, true, false}))), "");
}

TEST(EventWords, ADeviceHangsOnlyIfAllOthersWaitForIt) {
  const auto told = [](const std::function<void(std::vector<GpuCounters>&)>& edit) {
    std::vector<GpuCounters> devices = Hanging({false, true, true, true, false});
    edit(devices);
    return EventsOfDevices(devices).size();
  };
  EXPECT_EQ(told([](auto&) {}), 1u);
  // One of them exchanges data, works, or is idle too.
  EXPECT_EQ(told([](auto& devices) {
              devices[2][Role::kGpuNvlinkRxBytesPerSecond] = EverySecond({1e9, 1e9, 1e9, 1e9, 1e9});
            }),
            0u);
  EXPECT_EQ(told([](auto& devices) {
              devices[2][Role::kGpuNvlinkRxBytesPerSecond] = EverySecond({9e8, 9e8, 9e8, 9e8, 9e8});
            }),
            1u);
  EXPECT_EQ(told([](auto& devices) {
              devices[2][Role::kGpuSmActiveRatio] = EverySecond({0.9, 0.3, 0.3, 0.3, 0.9});
            }),
            0u);
  EXPECT_EQ(told([](auto& devices) {
              devices[2][Role::kGpuGrEngineActiveRatio] = EverySecond({0.9, 0.9, 0.9, 0.9, 0.9});
            }),
            0u);
  // Without a sample at that time, nobody knows.
  EXPECT_EQ(told([](auto& devices) { devices[2] = {}; }), 0u);
  EXPECT_EQ(told([](auto& devices) { devices.erase(devices.begin() + 2); }), 1u);
  EXPECT_EQ(told([](auto& devices) {
              devices.erase(devices.begin() + 2);
              devices.erase(devices.begin());
            }),
            0u);
}

// 60 steps of 0.2 s, of which one takes 6 s.
StepTable WithLongStep(size_t ranks, size_t column) {
  StepTable table = EvenSteps(ranks, 60, 0.2);
  for (size_t row = 0; row < ranks; ++row) table.step_seconds(row, column) = 6;
  for (size_t n = column; n < 60; ++n) table.end_ms[n] += 5800;
  return table;
}

std::string ToldOfPhase(const char* phase) {
  StepTable table = WithLongStep(1, 40);
  RankMatrix seconds(1, 60);
  seconds(0, 40) = 5.9;
  table.phases = {{phase, PhaseKindOf(phase), std::move(seconds)}};
  return Told(EventsOfSteps(table, {}));
}

TEST(EventWords, OfLongStepsThatTheTrainerExplains) {
  const std::string evidence =
      "; step_seconds 6/0.2 seconds (for this step, against the median of similar steps)\n";
  EXPECT_EQ(ToldOfPhase("checkpoint_time"),
            "checkpoint 8-14 s: the trainer logs it as checkpoint_time" + evidence);
  EXPECT_EQ(ToldOfPhase("eval"), "evaluation 8-14 s: the trainer logs it as eval" + evidence);
  EXPECT_EQ(ToldOfPhase("data"), "input_stall 8-14 s: the trainer logs it as data" + evidence);
  EXPECT_EQ(ToldOfPhase("gc"), "pause 8-14 s: the trainer logs it as gc" + evidence);
}

TEST(EventWords, OfLongStepsThatNothingOrDevicesExplain) {
  const std::string evidence =
      "; step_seconds 6/0.2 seconds (for this step, against the median of similar steps)\n";
  const StepTable table = WithLongStep(1, 40);
  EXPECT_EQ(Told(EventsOfSteps(table, {})),
            "stall 8-14 s: unknown: no rank kept the others waiting, no device worked, and then "
            "the job went on; a hang that ended looks the same as a wait that is not logged "
            "(input, a checkpoint, the host)" +
                evidence);
  // One sample per second; in the long step the device does what it is told.
  const auto told = [&](double engine, double tensor, double received, double sent) {
    std::vector<GpuCounters> devices(1);
    const auto put = [&](Role role, double usual, double inside) {
      devices[0][role] =
          EverySecond(17, [&](size_t i) { return i >= 8 && i < 14 ? inside : usual; });
    };
    put(Role::kGpuGrEngineActiveRatio, 0.98, engine);
    put(Role::kGpuSmActiveRatio, 0.9, 0.9 * engine);
    put(Role::kGpuTensorActiveRatio, 0.5, tensor);
    put(Role::kGpuDramActiveRatio, 0.3, 0.6 * tensor);
    put(Role::kGpuPcieRxBytesPerSecond, 1e7, received);
    put(Role::kGpuPcieTxBytesPerSecond, 1e7, sent);
    const std::string all = Told(EventsOfSteps(table, devices));
    return all.substr(0, all.find(';'));
  };
  EXPECT_EQ(told(0.98, 0.5, 1e7, 1e7),
            "evaluation 8-14 s: the device works throughout: an evaluation, or another long "
            "computation");
  EXPECT_EQ(told(0.1, 0, 1e7, 2e8),
            "checkpoint 8-14 s: the device idles and sends its memory to the host");
  EXPECT_EQ(told(0.1, 0, 1.1e9, 1e7),
            "input_stall 8-14 s: the device idles and receives data from the host");
  EXPECT_EQ(told(0.1, 0, 1e9, 1e8).substr(0, 6), "stall ");
  EXPECT_EQ(told(0.6, 0, 1e7, 1e7), "hang 8-14 s: the work itself stopped");
}

TEST(EventWords, OfAHangThatSomeRanksAreWaitedForIn) {
  StepTable table = WithLongStep(3, 40);
  RankMatrix exchange(3, 60, 0.01);
  exchange(0, 40) = exchange(2, 40) = 5;
  exchange(1, 40) = 2.4;
  table.phases = {{"allreduce", PhaseKind::kCommunication, exchange}};
  std::vector<Event> events = EventsOfSteps(table, {});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].words, "these ranks waited least; the others waited for them");
  EXPECT_EQ(events[0].rows, std::vector<size_t>{1});
  EXPECT_EQ(events[0].step, 40);
  // Half as long as the longest is waiting too.
  table.phases[0].seconds(1, 40) = 2.5;
  events = EventsOfSteps(table, {});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].rows.empty());
  EXPECT_EQ(events[0].words, "the work itself stopped");
}

TEST(EventWords, OfStepsThatDoNotEnd) {
  const StepTable table = EvenSteps(1, 30, 0.5);
  const auto told = [&](int64_t since_ms) {
    return Told(EventsOfSteps(table, {}, table.end_ms.back() + since_ms));
  };
  EXPECT_EQ(told(5000), "");
  EXPECT_EQ(told(5001),
            "stall 15-20.001 s: no step has ended since this one; seconds_since_last_step 5.001/5 "
            "seconds (against ten times the median step time)\n");
  const StepTable quick = EvenSteps(1, 30, 0.01);
  EXPECT_EQ(Told(EventsOfSteps(quick, {}, quick.end_ms.back() + 2000)), "");
  EXPECT_NE(Told(EventsOfSteps(quick, {}, quick.end_ms.back() + 2001)), "");
}

TEST(EventWords, AHangThatStepsAndDevicesShowIsOne) {
  StepTable table = WithLongStep(3, 40);
  RankMatrix exchange(3, 60, 0.01);
  exchange(0, 40) = exchange(2, 40) = 5.9;
  table.phases = {{"allreduce", PhaseKind::kCommunication, std::move(exchange)}};
  std::vector<bool> hangs(20, false);
  for (size_t i = 9; i < 13; ++i) hangs[i] = true;
  const auto events = EventsOfSteps(table, Hanging(hangs));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].step, 40);
  // At another time, there are two.
  std::vector<bool> later(20, false);
  for (size_t i = 15; i < 19; ++i) later[i] = true;
  EXPECT_EQ(EventsOfSteps(table, Hanging(later)).size(), 2u);
}

// The loss is 2, except from one column on for some columns.
std::string ToldOfLoss(double value, size_t from, size_t count, size_t steps = 60) {
  StepTable table = EvenSteps(1, steps, 1.0);
  table.loss = RankMatrix(1, steps, 2.0);
  for (size_t n = from; n < std::min(from + count, steps); ++n) table.loss(0, n) = value;
  return Told(EventsOfSteps(table, {}));
}

TEST(EventWords, OfSpikes) {
  const std::string words = " (its peak, against the median of the 20 steps before)\n";
  EXPECT_EQ(ToldOfLoss(3.5, 30, 3), "loss_spike 30-33 s: ; loss 3.5/2 " + words);
  EXPECT_EQ(ToldOfLoss(3, 30, 3), "");
  EXPECT_EQ(ToldOfLoss(3.5, 30, 1), "");
  EXPECT_EQ(ToldOfLoss(3.5, 58, 2), "loss_spike 58-60 s: ; loss 3.5/2 " + words);
  EXPECT_EQ(ToldOfLoss(3.5, 59, 1), "");
  EXPECT_EQ(ToldOfLoss(3.5, 20, 2), "loss_spike 20-22 s: ; loss 3.5/2 " + words);
  EXPECT_EQ(ToldOfLoss(3.5, 18, 2), "");  // too few steps before
  StepTable table = EvenSteps(1, 60, 1.0);
  table.gradient_norm = RankMatrix(1, 60, 0.5);
  table.gradient_norm(0, 30) = 3;
  EXPECT_EQ(Told(EventsOfSteps(table, {})), "");
  table.gradient_norm(0, 30) = 3.5;
  EXPECT_EQ(Told(EventsOfSteps(table, {})), "grad_spike 30-31 s: ; gradient_norm 3.5/0.5 " + words);
  table.gradient_norm = RankMatrix(1, 60, 0.0);
  table.gradient_norm(0, 30) = 3.5;
  EXPECT_EQ(Told(EventsOfSteps(table, {})), "");  // nothing to compare it with
}

TEST(EventWords, ASpikeIsNotTheReferenceOfTheNext) {
  StepTable table = EvenSteps(1, 90, 1.0);
  table.loss = RankMatrix(1, 90, 2.0);
  const auto spike_at = [&table](size_t n) { table.loss(0, n) = table.loss(0, n + 1) = 4; };
  const auto steps = [&table] {
    std::string text;
    for (const Event& event : EventsOfSteps(table, {})) text += std::to_string(*event.step) + " ";
    return text;
  };
  spike_at(30);
  spike_at(51);
  EXPECT_EQ(steps(), "30 ");
  spike_at(52);
  EXPECT_EQ(steps(), "30 52 ");
}

TEST(EventWords, OfWhatIsNoNumber) {
  StepTable table = EvenSteps(2, 40, 1.0);
  table.loss = RankMatrix(2, 40, 2.0);
  table.gradient_norm = RankMatrix(2, 40, 1.0);
  table.loss(1, 30) = std::numeric_limits<double>::infinity();
  table.gradient_norm(0, 29) = kUnknown;
  const auto events = EventsOfSteps(table, {});
  EXPECT_EQ(Told(events),
            "nan 29-30 s: ; loss nan/nan  (is NaN from step 30 on); gradient_norm nan/nan  (is NaN "
            "from step 29 on)\n");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].rows, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(events[0].step, 29);
}

TEST(EventWords, AValueIsMissingAfterThreeOfItsUsualIntervals) {
  // Logged in every tenth step, lastly in column 100.
  const auto told = [](size_t steps) {
    StepTable table = EvenSteps(1, steps, 1.0);
    table.loss = RankMatrix(1, steps);
    for (size_t n = 0; n <= 100; n += 10) table.loss(0, n) = 2.0;
    const auto events = EventsOfSteps(table, {});
    return events.empty() ? -1 : *events[0].step;
  };
  EXPECT_EQ(told(130), -1);
  EXPECT_EQ(told(131), 110);
}

TEST(EventWords, OfALeak) {
  StepTable table = EvenSteps(2, 80, 1.0);
  table.attempt_first_step = 0;
  table.memory_allocated_bytes = RankMatrix(2, 80, 1e9);
  for (size_t n = 0; n < 80; ++n) {
    table.memory_allocated_bytes(1, n) = 1e9 + 1e6 * static_cast<double>(n);
  }
  std::vector<GpuCounters> devices(2);
  EXPECT_EQ(Told(EventsOfSteps(table, devices)),
            "memory_leak 10-80 s: ; memory_allocated_bytes 1e+06/nan bytes per step (growth of "
            "memory that is never freed)\n");
  devices[1][Role::kGpuMemoryFreeBytes] = {{1000, 2000}, {9e9, 5e8}};
  EXPECT_EQ(Told(EventsOfSteps(table, devices)),
            "memory_leak 10-80 s: device memory will be full in about 500 steps; "
            "memory_allocated_bytes 1e+06/nan bytes per step (growth of memory that is never "
            "freed); steps_until_memory_is_full 500/nan steps (at this rate, from the last sample "
            "on)\n");
}

TEST(EventWords, ALeakNeedsThreeBlocksThatEachGrow) {
  const auto leaks = [](size_t steps, const std::function<double(size_t)>& bytes) {
    StepTable table = EvenSteps(1, steps, 1.0);
    table.memory_allocated_bytes = RankMatrix(1, steps);
    for (size_t n = 0; n < steps; ++n) table.memory_allocated_bytes(0, n) = bytes(n);
    return EventsOfSteps(table, {}).size();
  };
  const auto growing = [](size_t n) { return 1e9 + 1e7 * static_cast<double>(n); };
  EXPECT_EQ(leaks(60, growing), 1u);
  EXPECT_EQ(leaks(59, growing), 0u);
  // From block to block; by 2 % in all.
  EXPECT_EQ(leaks(60, [](size_t n) { return n < 20 ? 1e9 : n < 40 ? 1.01e9 : 1.02e9; }), 1u);
  EXPECT_EQ(leaks(60, [](size_t n) { return n < 20 ? 1e9 : n < 40 ? 1.01e9 : 1.0199e9; }), 0u);
  EXPECT_EQ(leaks(60, [](size_t n) { return n < 40 ? 1e9 : 1.1e9; }), 0u);
}

TEST(EventWords, MissingSignalsAreNamed) {
  const Job job;
  const std::vector<GpuCounters> none(1);
  EXPECT_EQ(ConfidenceOfEvents({.job = job, .steps = StepTable{}, .devices = none}).missing,
            (std::vector<std::string>{"step times: hangs, checkpoints", "loss: spikes, NaN",
                                      "memory allocated by the trainer: leaks",
                                      "device counters: throttling, errors, power swings"}));
  StepTable table = EvenSteps(1, 7, 1.0);
  table.loss = RankMatrix(1, 7, 1.0);
  table.memory_allocated_bytes = RankMatrix(1, 7, 1.0);
  std::vector<GpuCounters> devices(2);
  devices[0][Role::kGpuPowerWatts] = EverySecond({1, 2, 3});
  devices[1][Role::kGpuPowerWatts] = EverySecond({1, 2});
  const Confidence confidence =
      ConfidenceOfEvents({.job = job, .steps = table, .devices = devices});
  EXPECT_TRUE(confidence.missing.empty());
  EXPECT_EQ(confidence.steps, 7u);
  EXPECT_EQ(confidence.samples, 3u);
}

TEST(EventWords, OfPausesThatRecur) {
  StepTable table = EvenSteps(1, 300, 0.2);
  int64_t at_ms = 0;
  for (size_t n = 0; n < 300; ++n) {
    if (n % 60 == 59) table.step_seconds(0, n) = 6;
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  const auto events = EventsOfSteps(table, {});
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(Name(events[0].kind), "pause");
  EXPECT_EQ(events[0].words, "pauses of this length recur at regular intervals");
}

TEST(EventWords, OfMemoryThatGrowsOutsideTheTrainersAllocator) {
  std::vector<GpuCounters> devices(2);
  constexpr double kMebibyte = 1 << 20;
  devices[1][Role::kGpuMemoryUsedBytes] =
      EverySecond(60, [&](size_t i) { return (10'000 + 50 * static_cast<double>(i)) * kMebibyte; });
  const auto events = EventsOfDevices(devices);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].rows, std::vector<size_t>{1});
  EXPECT_EQ(events[0].words,
            "device memory grows outside the trainer's allocator: another library or another "
            "process allocates it");
  ASSERT_EQ(events[0].evidence.size(), 1u);
  const Evidence& growth = events[0].evidence[0];
  EXPECT_EQ(growth.unit, "MiB");
  // From 7 s on, nine blocks of five seconds end by the last sample but the last block is open.
  EXPECT_EQ(growth.value, 50 * 5 * 9);
  EXPECT_EQ(growth.words, "growth in 45 s, in every block of 5 s");
}

}  // namespace
}  // namespace lockstep::training
