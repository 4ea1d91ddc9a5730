// Memory that keeps growing.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "catalogue/metric_names.h"
#include "training/events/event_finders.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// The minimum allocation over a block of steps contains no temporary memory.
constexpr size_t kBlockSteps = 20;
constexpr size_t kFewestBlocks = 3;
// Allocators round sizes; less total growth than this is not a leak that matters.
constexpr double kLeastGrowth = 1.02;

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

// Bytes per step if the row leaks.
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
  const CounterSeries& free = input.devices[row][Role::kGpuMemoryFreeBytes];
  return free.empty() ? kUnknown : free.value.back() / bytes_per_step;
}

// Growth of device memory outside the trainer's allocator, such as buffers of other libraries or
// another process. The minimum of each block contains no temporary memory.
struct DeviceGrowth {
  double bytes = 0;  // in total; 0: none that matters
  TimeRange time = {};
};

constexpr int64_t kBlockMs = 5000;
constexpr size_t kSamplesPerBlock = 3;
// Caches and pools grow when a job starts and when it sees a larger batch, then stop. A leak
// continues block after block, as fast at the end as before.
constexpr size_t kFewestDeviceBlocks = 5;
constexpr double kLeastLateShare = 0.25;  // of the growth, in the second half; even growth has 0.5

struct MemoryBlock {
  int64_t end_ms = 0;
  double least_bytes = kUnknown;
};

std::vector<MemoryBlock> BlocksOf(const CounterSeries& used, int64_t from_ms) {
  const int64_t width_ms =
      std::max(kBlockMs, static_cast<int64_t>(kSamplesPerBlock) * SamplePeriodMs(used));
  std::vector<MemoryBlock> blocks;
  int64_t block_from_ms = from_ms;
  size_t samples = 0;
  double least = kUnknown;
  for (size_t i = 0; i < used.value.size(); ++i) {
    if (used.timestamp_ms[i] <= from_ms || std::isnan(used.value[i])) continue;
    if (used.timestamp_ms[i] > block_from_ms + width_ms) {
      if (samples > 0) blocks.push_back({block_from_ms + width_ms, least});
      block_from_ms += (used.timestamp_ms[i] - block_from_ms - 1) / width_ms * width_ms;
      samples = 0;
      least = kUnknown;
    }
    if (!(least <= used.value[i])) least = used.value[i];
    ++samples;
  }
  return blocks;
}

DeviceGrowth GrowthOf(const CounterSeries& used, int64_t from_ms) {
  const std::vector<MemoryBlock> blocks = BlocksOf(used, from_ms);
  if (blocks.size() < kFewestDeviceBlocks) return {};
  for (size_t i = 1; i < blocks.size(); ++i) {
    if (!(blocks[i].least_bytes > blocks[i - 1].least_bytes)) return {};
  }
  const double first = blocks.front().least_bytes;
  const double last = blocks.back().least_bytes;
  const double late = last - blocks[blocks.size() / 2].least_bytes;
  if (last < kLeastGrowth * first || late < kLeastLateShare * (last - first)) return {};
  return {last - first, {blocks.front().end_ms, blocks.back().end_ms}};
}

// Growth of the trainer's allocator in bytes over all steps after warm-up; 0 if it is not reported.
double AllocatorGrowthBytes(const RankMatrix& memory, size_t row, size_t first) {
  if (memory.empty()) return 0;
  const std::vector<double> lowest = LowestOfBlocks(memory.Row(row), first);
  return lowest.size() < 2 ? 0.0 : lowest.back() - lowest.front();
}

size_t FirstAfterWarmUp(const StepTable& table) {
  const auto first = std::find_if(table.step.begin(), table.step.end(), [&table](int64_t step) {
    return step >= table.attempt_first_step + kWarmUpSteps;
  });
  return static_cast<size_t>(first - table.step.begin());
}

void FindDeviceLeaks(const EventInput& input, std::vector<Event>& events) {
  const StepTable& table = input.steps;
  const size_t first = FirstAfterWarmUp(table);
  const bool has_steps = first < table.size();
  Event event{.kind = EventKind::kMemoryLeak};
  double most_bytes = 0;
  double seconds = 0;
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const CounterSeries& used = input.devices[row][Role::kGpuMemoryUsedBytes];
    if (used.empty()) continue;
    const int64_t from_ms =
        has_steps ? table.end_ms[first] : used.timestamp_ms.front() + kDeviceWarmUpMs;
    const DeviceGrowth growth = GrowthOf(used, from_ms);
    // Memory of the trainer's allocator is judged by its own numbers.
    const double allocated = AllocatorGrowthBytes(table.memory_allocated_bytes, row, first);
    if (!(growth.bytes > 0) || allocated > growth.bytes / 2) continue;
    event.rows.push_back(row);
    event.time = growth.time;
    if (growth.bytes > most_bytes) {
      most_bytes = growth.bytes;
      seconds = static_cast<double>(growth.time.max_ms - growth.time.min_ms) / 1000.0;
    }
  }
  if (event.rows.empty()) return;
  if (has_steps) event.step = table.step[first];
  const catalogue::ShownName shown = catalogue::ShownNameOf(Role::kGpuMemoryUsedBytes);
  event.evidence.push_back({.signal = std::string(shown.metric),
                            .value = most_bytes / shown.factor,
                            .unit = "MiB",
                            .words = absl::StrFormat("growth in %.0f s, in every block of %d s",
                                                     seconds, kBlockMs / 1000)});
  event.words =
      "device memory grows outside the trainer's allocator: another library or another process "
      "allocates it";
  events.push_back(std::move(event));
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
  if (event.rows.empty()) return FindDeviceLeaks(input, events);
  event.time = {StepBeginMs(table, first), table.end_ms.back()};
  event.step = table.step[first];
  event.evidence.push_back({.signal = "memory_allocated_bytes",
                            .value = fastest,
                            .unit = "bytes per step",
                            .words = "growth of memory that is never freed"});
  if (!std::isnan(soonest)) {
    event.evidence.push_back({.signal = "steps_until_memory_is_full",
                              .value = soonest,
                              .unit = "steps",
                              .words = "at this rate, from the last sample on"});
    event.words = absl::StrFormat("device memory will be full in about %.0f steps", soonest);
  }
  events.push_back(std::move(event));
}

}  // namespace lockstep::training
