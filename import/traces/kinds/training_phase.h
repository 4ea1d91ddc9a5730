// Recognizes the training phases of ranges marked by programs: with torch.profiler.record_function,
// by PyTorch itself, or with NVTX. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::traces {

// "data", "forward", "backward", "forward-backward", "optimizer", "zero_grad" or "checkpoint"; ""
// for other ranges. Static storage.
std::string_view PhaseOfRange(std::string_view name);

struct NumberedRange {
  std::string_view name;  // points into the range's name
  int64_t number = 0;
};

// Parses a range that is one step of a training loop: "train_step_15", "STEP 3", "iteration#7"; its
// name is the part before the number. Nothing for other ranges.
std::optional<NumberedRange> NumberedStepOf(std::string_view name);

// The number in "ProfilerStep#12".
std::optional<int64_t> StepOfRange(std::string_view name);

}  // namespace lockstep::traces
