// Memory that only ever grows.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/event_finders.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

// The least that is allocated in a block of steps holds nothing that comes and goes.
constexpr size_t kBlockSteps = 20;
constexpr size_t kFewestBlocks = 3;
// Allocators round; what grows by less in all is no leak that matters.
constexpr double kLeastGrowth = 1.02;
constexpr double kBytesPerMib = 1024.0 * 1024.0;

std::vector<double> LowestOfBlocks(std::span<const double> bytes, size_t first) {
  std::vector<double> lowest;
  for (size_t at = first; at + kBlockSteps <= bytes.size(); at += kBlockSteps) {
    const std::span<const double> block = bytes.subspan(at, kBlockSteps);
    double least = kUnknown;
    for (const double value : block) {
      if (!(least <= value) && !std::isnan(value)) least = value;
    }
    if (!std::isnan(least)) lowest.push_back(least);
  }
  return lowest;
}

// Bytes per step, if the row leaks.
double LeakPerStep(std::span<const double> bytes, size_t first) {
  const std::vector<double> lowest = LowestOfBlocks(bytes, first);
  if (lowest.size() < kFewestBlocks || lowest.back() < kLeastGrowth * lowest.front()) return 0;
  for (size_t i = 1; i < lowest.size(); ++i) {
    if (lowest[i] <= lowest[i - 1]) return 0;
  }
  return (lowest.back() - lowest.front()) / static_cast<double>((lowest.size() - 1) * kBlockSteps);
}

// Steps until the device's memory is full; unknown without its counters.
double StepsLeft(const EventInput& input, size_t row, double bytes_per_step) {
  if (input.devices.empty()) return kUnknown;
  const CounterSeries& free = input.devices[row][DeviceCounter::kMemoryFreeMib];
  return free.empty() ? kUnknown : free.value.back() * kBytesPerMib / bytes_per_step;
}

size_t FirstAfterWarmUp(const StepTable& table) {
  const auto first = std::find_if(table.step.begin(), table.step.end(), [&table](int64_t step) {
    return step >= table.attempt_first_step + kWarmUpSteps;
  });
  return static_cast<size_t>(first - table.step.begin());
}

}  // namespace

void FindLeaks(const EventInput& input, std::vector<Event>& events) {
  const StepTable& table = input.steps;
  const RankMatrix& memory = table.memory_allocated_bytes;
  const size_t first = FirstAfterWarmUp(table);
  Event event{.kind = EventKind::kMemoryLeak};
  double fastest = 0;
  double soonest = kUnknown;
  for (size_t row = 0; row < memory.rows(); ++row) {
    const double per_step = LeakPerStep(memory.Row(row), first);
    if (!(per_step > 0)) continue;
    event.rows.push_back(row);
    fastest = std::max(fastest, per_step);
    const double left = StepsLeft(input, row, per_step);
    if (!(soonest <= left) && !std::isnan(left)) soonest = left;
  }
  if (event.rows.empty()) return;
  event.time = {StepBeginMs(table, first), table.end_ms.back()};
  event.step = table.step[first];
  event.evidence.push_back({.signal = "memory_allocated_bytes",
                            .value = fastest,
                            .unit = "bytes per step",
                            .words = "growth of what is never freed"});
  if (!std::isnan(soonest)) {
    event.evidence.push_back({.signal = "steps_until_memory_is_full",
                              .value = soonest,
                              .unit = "steps",
                              .words = "at this pace, from the last sample on"});
    event.words = absl::StrFormat("device memory is full in about %.0f steps", soonest);
  }
  events.push_back(std::move(event));
}

}  // namespace lockstep::training
