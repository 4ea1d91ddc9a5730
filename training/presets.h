// Rules that people know, as they are usually written, so that they can be compared. Each says what it can see
// and what it cannot.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "training/devices.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

enum class Preset {
  kStepTimeSpread,  // standard deviation over mean of step times of ranks, last 100 steps, over 0.1
  kCoolGpu,         // the GPU that is cooler than the others' mean by 5 degrees
  kSmActiveSpread,  // standard deviation of one GPU's SM_ACTIVE over the window above 0.15
  kMemoryBoundByDram,  // DRAM_ACTIVE above 0.8 and SM_ACTIVE below 0.3
  kLowTensor,          // PIPE_TENSOR_ACTIVE below 0.1
  kLowOccupancy,       // SM_OCCUPANCY below 0.2
};
inline constexpr size_t kPresetCount = static_cast<size_t>(Preset::kLowOccupancy) + 1;

std::string_view Name(Preset preset);
// What it is good for, and what it is blind to.
std::string_view Sees(Preset preset);

struct PresetAnswer {
  Preset preset = Preset::kStepTimeSpread;
  bool fires = false;
  std::optional<size_t> row;  // the rank it points at, if it fires and points at one
  double value = kUnknown;    // of that rank, or of the job
  double threshold = 0;
};

// All presets that the data allow. Device counters are taken as means over `time`.
std::vector<PresetAnswer> AskPresets(const Job& job, const StepTable& steps,
                                     std::span<const GpuCounters> devices, const TimeRange& time);

}  // namespace lockstep::training
