// Events from device reports (heat, power, memory errors, XIDs) and power swings.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "catalogue/metric_names.h"
#include "training/bottlenecks/long_steps.h"
#include "training/devices/device_health.h"
#include "training/devices/xid.h"
#include "training/events/event_finders.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// A saw tooth: power falls and rises by a quarter of its range at least four times, each in under a
// minute and at regular intervals, because the device idles.
constexpr double kSwingShare = 0.25;
// Swings are regular if the interquartile range of their intervals is below this share of the
// median. Random intervals have one or more; steps and rollouts a tenth.
constexpr double kRegularSpread = 0.5;
// Engine activity in low-power samples: idle devices are below this, while devices whose kernels
// just need less power are busy all the time.
constexpr double kRestingEngine = 0.8;
constexpr size_t kFewestSwings = 4;
constexpr double kLongestSwingMs = 60'000;
// A swing needs at least four samples to be visible.
constexpr double kSamplesPerSwing = 4;

TimeRange WholeOf(const CounterSeries& series) {
  return {series.timestamp_ms.front(), series.timestamp_ms.back()};
}

TimeRange SamplesOf(const GpuCounters& device) {
  TimeRange whole;
  for (const CounterSeries& series : device.series) {
    if (series.empty()) continue;
    const TimeRange own = WholeOf(series);
    whole.min_ms = whole.min_ms == 0 ? own.min_ms : std::min(whole.min_ms, own.min_ms);
    whole.max_ms = std::max(whole.max_ms, own.max_ms);
  }
  return whole;
}

void AddGrowth(const GpuCounters& device, size_t row, Role role, EventKind kind,
               std::string_view words, std::vector<Event>& events) {
  const CounterSeries& series = device[role];
  for (size_t i = 1; i < series.value.size(); ++i) {
    if (!(series.value[i] > series.value[i - 1])) continue;
    Event event{.kind = kind,
                .time = {series.timestamp_ms[i - 1], series.timestamp_ms[i]},
                .rows = {row},
                .words = std::string(words)};
    event.evidence.push_back({.signal = std::string(catalogue::ShownNameOf(role).metric),
                              .value = series.value[i],
                              .reference = series.value[i - 1],
                              .unit = "count",
                              .words = "up from the previous sample"});
    events.push_back(std::move(event));
  }
}

void AddXids(const GpuCounters& device, size_t row, std::vector<Event>& events) {
  const CounterSeries& series = device[Role::kGpuXid];
  double before = 0;
  for (size_t i = 0; i < series.value.size(); ++i) {
    const double code = series.value[i];
    if (std::isnan(code) || code == before) continue;
    before = code;
    if (!(code > 0 && code < 1e6)) continue;
    const XidMeaning* meaning = MeaningOfXid(static_cast<int64_t>(code));
    Event event{.kind = EventKind::kXid,
                .time = {series.timestamp_ms[i], series.timestamp_ms[i]},
                .rows = {row}};
    event.words = meaning == nullptr ? "a code with no known meaning for the device"
                                     : absl::StrFormat("%s: %s (%s)", meaning->kind, meaning->words,
                                                       Name(meaning->action));
    event.evidence.push_back({.signal = std::string(catalogue::ShownNameOf(Role::kGpuXid).metric),
                              .value = code,
                              .unit = "code",
                              .words = event.words});
    events.push_back(std::move(event));
  }
}

void AddHealth(const GpuCounters& device, size_t row, std::vector<Event>& events) {
  const TimeRange whole = SamplesOf(device);
  const DeviceHealth health = HealthIn(device, whole);
  if (health.is_throttled_by_heat) {
    events.push_back({.kind = EventKind::kThrottled,
                      .time = whole,
                      .rows = {row},
                      .words = "heat lowers the clocks at least 5 % of the time"});
  }
  if (health.is_power_braked) {
    events.push_back({.kind = EventKind::kPowerBraked,
                      .time = whole,
                      .rows = {row},
                      .words = "the board or the power supply forced the clocks down"});
  }
}

// Intervals between turns from low to high, in ms.
std::vector<double> Swings(const CounterSeries& power, double low, double high) {
  std::vector<double> distances;
  bool is_low = false;
  int64_t last_ms = 0;
  for (size_t i = 0; i < power.value.size(); ++i) {
    if (power.value[i] < low) is_low = true;
    if (!is_low || !(power.value[i] > high)) continue;
    is_low = false;
    if (last_ms > 0) {
      distances.push_back(static_cast<double>(power.timestamp_ms[i] - last_ms));
    }
    last_ms = power.timestamp_ms[i];
  }
  return distances;
}

bool AreRegular(const std::vector<double>& distances) {
  const double spread = Quantile(distances, 0.75) - Quantile(distances, 0.25);
  return spread <= kRegularSpread * Median(distances);
}

// Whether the engine is idle in low-power samples. True if there is no engine counter.
bool RestsWhenLow(const GpuCounters& device, const CounterSeries& power, double low_w) {
  const CounterSeries& engine = device[Role::kGpuGrEngineActiveRatio];
  std::vector<double> when_low;
  size_t at = 0;
  for (size_t i = 0; i < power.value.size(); ++i) {
    while (at < engine.timestamp_ms.size() && engine.timestamp_ms[at] < power.timestamp_ms[i]) ++at;
    if (at == engine.timestamp_ms.size()) break;
    if (power.value[i] < low_w) when_low.push_back(engine.value[at]);
  }
  return !(Median(when_low) >= kRestingEngine);
}

// Checkpoints, evaluations and recurring pauses are events of their own, so it is no news that
// devices idle during them.
std::vector<TimeRange> KnownPauses(const EventInput& input) {
  std::vector<TimeRange> pauses;
  if (input.steps.size() == 0) return pauses;
  for (const LongStep& step : FindLongSteps(input.steps, input.devices)) {
    switch (step.reason) {
      case LongStepReason::kCheckpoint:
      case LongStepReason::kEvaluation:
      case LongStepReason::kOtherPhase:
      case LongStepReason::kRecurring:
        pauses.push_back(step.time);
        break;
      case LongStepReason::kUnexplained:
      case LongStepReason::kStartUp:
      case LongStepReason::kInput:
        break;
    }
  }
  return pauses;
}

// A sample covers the time since the previous one.
CounterSeries Outside(const CounterSeries& series, std::span<const TimeRange> pauses) {
  const int64_t period_ms = SamplePeriodMs(series);
  CounterSeries outside;
  for (size_t i = 0; i < series.value.size(); ++i) {
    const int64_t at_ms = series.timestamp_ms[i];
    const bool is_inside = std::any_of(pauses.begin(), pauses.end(), [&](const TimeRange& pause) {
      return at_ms > pause.min_ms && at_ms < pause.max_ms + period_ms;
    });
    if (is_inside) continue;
    outside.timestamp_ms.push_back(at_ms);
    outside.value.push_back(series.value[i]);
  }
  return outside;
}

std::optional<Event> SawToothIn(const GpuCounters& device, const CounterSeries& power, size_t row) {
  if (power.empty()) return std::nullopt;
  const double lowest = Quantile(power.value, 0.05);
  const double highest = Quantile(power.value, 0.95);
  if (!(highest - lowest >= kSwingShare * highest)) return std::nullopt;
  const double middle = (lowest + highest) / 2;
  const double half_swing = kSwingShare * (highest - lowest) / 2;
  const std::vector<double> swings = Swings(power, middle - half_swing, middle + half_swing);
  const double period_ms = Median(swings);
  if (swings.size() < kFewestSwings || !(period_ms < kLongestSwingMs)) return std::nullopt;
  if (!AreRegular(swings) || !RestsWhenLow(device, power, middle - half_swing)) return std::nullopt;
  const auto sample_ms = static_cast<double>(SamplePeriodMs(device[Role::kGpuPowerWatts]));
  if (period_ms < kSamplesPerSwing * sample_ms) return std::nullopt;
  Event event{.kind = EventKind::kSawToothPower,
              .time = WholeOf(power),
              .rows = {row},
              .words = "power falls and rises at regular intervals: the device idles in between"};
  event.evidence.push_back({.signal = "DCGM_FI_DEV_POWER_USAGE",
                            .value = highest - lowest,
                            .reference = kSwingShare * highest,
                            .unit = "W",
                            .words = absl::StrFormat("swings every %.1f s", period_ms / 1000)});
  return event;
}

}  // namespace

void FindDeviceTroubles(const EventInput& input, std::vector<Event>& events) {
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const GpuCounters& device = input.devices[row];
    AddHealth(device, row, events);
    AddGrowth(device, row, Role::kGpuEccUncorrectedTotal, EventKind::kEcc,
              "uncorrectable memory error: results since the last checkpoint are suspect; drain "
              "the node",
              events);
    AddGrowth(device, row, Role::kGpuRemappedRowsUncorrectableTotal, EventKind::kRowRemap,
              "a memory row was remapped after an uncorrectable error; reset the GPU when idle",
              events);
    AddGrowth(device, row, Role::kGpuRowRemapFailure, EventKind::kRowRemap,
              "a memory row could not be remapped; drain the node", events);
    AddXids(device, row, events);
  }
}

void FindSawTooth(const EventInput& input, std::vector<Event>& events) {
  std::optional<std::vector<TimeRange>> pauses;
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const GpuCounters& device = input.devices[row];
    const CounterSeries& power = device[Role::kGpuPowerWatts];
    if (!SawToothIn(device, power, row).has_value()) continue;
    if (!pauses.has_value()) pauses = KnownPauses(input);
    auto swings = SawToothIn(device, pauses->empty() ? power : Outside(power, *pauses), row);
    if (swings.has_value()) events.push_back(*std::move(swings));
  }
}

}  // namespace lockstep::training
