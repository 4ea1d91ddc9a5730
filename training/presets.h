// Common rules of thumb as usually written, for comparison. Each states what it can detect and what
// it cannot.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

enum class Preset {
  kStepTimeSpread,     // relative standard deviation of ranks' step times over 100 steps above 0.1
  kCoolGpu,            // a GPU 5 degrees cooler than the mean of the others
  kSmActiveSpread,     // standard deviation of one GPU's SM_ACTIVE over the window above 0.15
  kMemoryBoundByDram,  // DRAM_ACTIVE above 0.8 and SM_ACTIVE below 0.3
  kLowTensor,          // PIPE_TENSOR_ACTIVE below 0.1
  kLowOccupancy,       // SM_OCCUPANCY below 0.2
};
inline constexpr size_t kPresetCount = static_cast<size_t>(Preset::kLowOccupancy) + 1;

std::string_view Name(Preset preset);
// What the rule detects and what it is blind to.
std::string_view Sees(Preset preset);

struct PresetAnswer {
  Preset preset = Preset::kStepTimeSpread;
  bool fires = false;
  std::optional<size_t> row;  // the rank it names, if it fires and names one
  double value = kUnknown;    // of that rank, or of the job
  double threshold = 0;
};

// Evaluates all presets that the data support. Device counters are means over `time`.
std::vector<PresetAnswer> AskPresets(const Job& job, const StepTable& steps,
                                     std::span<const GpuCounters> devices, const TimeRange& time);

}  // namespace lockstep::training
