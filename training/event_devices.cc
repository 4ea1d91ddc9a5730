// What devices report: heat, power, memory errors, XIDs; and power that swings.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/device_health.h"
#include "training/event_finders.h"
#include "training/statistics.h"
#include "training/xid.h"

namespace lockstep::training {
namespace {

// Power that falls and rises by a quarter of its range, at least four times, in under a minute each.
constexpr double kSwingShare = 0.25;
constexpr size_t kFewestSwings = 4;
constexpr double kLongestSwingMs = 60'000;
// A swing needs at least four samples to be seen.
constexpr double kSamplesPerSwing = 4;

TimeRange WholeOf(const CounterSeries& series) {
  return {series.timestamp_ms.front(), series.timestamp_ms.back()};
}

TimeRange SamplesOf(const GpuCounters& device) {
  TimeRange whole;
  for (const CounterSeries& series : device.series) {
    if (series.empty()) continue;
    const TimeRange own = WholeOf(series);
    whole.from_ms = whole.from_ms == 0 ? own.from_ms : std::min(whole.from_ms, own.from_ms);
    whole.to_ms = std::max(whole.to_ms, own.to_ms);
  }
  return whole;
}

void AddGrowth(const GpuCounters& device, size_t row, DeviceCounter counter, EventKind kind,
               std::string_view words, std::vector<Event>& events) {
  const CounterSeries& series = device[counter];
  for (size_t i = 1; i < series.value.size(); ++i) {
    if (!(series.value[i] > series.value[i - 1])) continue;
    Event event{.kind = kind,
                .time = {series.timestamp_ms[i - 1], series.timestamp_ms[i]},
                .rows = {row},
                .words = std::string(words)};
    event.evidence.push_back({.signal = std::string(DcgmName(counter)),
                              .value = series.value[i],
                              .reference = series.value[i - 1],
                              .unit = "count",
                              .words = "grew from the sample before"});
    events.push_back(std::move(event));
  }
}

void AddXids(const GpuCounters& device, size_t row, std::vector<Event>& events) {
  const CounterSeries& series = device[DeviceCounter::kXid];
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
    event.words = meaning == nullptr ? "a code that says nothing known about the device"
                                     : absl::StrFormat("%s: %s (%s)", meaning->kind, meaning->words,
                                                       Name(meaning->action));
    event.evidence.push_back({.signal = std::string(DcgmName(DeviceCounter::kXid)),
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
                      .words = "clocks are lowered by heat in at least a twentieth of the time"});
  }
  if (health.is_power_braked) {
    events.push_back({.kind = EventKind::kPowerBraked,
                      .time = whole,
                      .rows = {row},
                      .words = "board or power supply forced clocks down"});
  }
}

// Distances in time between turns from low to high, in ms.
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

}  // namespace

void FindDeviceTroubles(const EventInput& input, std::vector<Event>& events) {
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const GpuCounters& device = input.devices[row];
    AddHealth(device, row, events);
    AddGrowth(device, row, DeviceCounter::kEccDoubleBitErrors, EventKind::kEcc,
              "an uncorrectable memory error: results since the last checkpoint are suspect; drain",
              events);
    AddGrowth(device, row, DeviceCounter::kUncorrectableRemaps, EventKind::kRowRemap,
              "a row of memory was replaced after an uncorrectable error; reset when idle", events);
    AddGrowth(device, row, DeviceCounter::kRowRemapFailure, EventKind::kRowRemap,
              "a row of memory could not be replaced; drain", events);
    AddXids(device, row, events);
  }
}

void FindSawTooth(const EventInput& input, std::vector<Event>& events) {
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const CounterSeries& power = input.devices[row][DeviceCounter::kPowerW];
    if (power.empty()) continue;
    const double lowest = Quantile(power.value, 0.05);
    const double highest = Quantile(power.value, 0.95);
    if (!(highest - lowest >= kSwingShare * highest)) continue;
    const double middle = (lowest + highest) / 2;
    const double half_swing = kSwingShare * (highest - lowest) / 2;
    const std::vector<double> swings = Swings(power, middle - half_swing, middle + half_swing);
    const double period_ms = Median(swings);
    if (swings.size() < kFewestSwings || !(period_ms < kLongestSwingMs)) continue;
    if (period_ms < kSamplesPerSwing * static_cast<double>(SamplePeriodMs(power))) continue;
    Event event{.kind = EventKind::kSawToothPower,
                .time = WholeOf(power),
                .rows = {row},
                .words = "power falls and rises with the steps: the device waits in each of them"};
    event.evidence.push_back({.signal = "DCGM_FI_DEV_POWER_USAGE",
                              .value = highest - lowest,
                              .reference = kSwingShare * highest,
                              .unit = "W",
                              .words = absl::StrFormat("swings every %.1f s", period_ms / 1000)});
    events.push_back(std::move(event));
  }
}

}  // namespace lockstep::training
