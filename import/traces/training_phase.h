// What part of a training step the ranges are that programs mark: by torch.profiler.record_function, by PyTorch
// itself, by NVTX. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::traces {

// "data", "forward", "backward", "forward-backward", "optimizer", "zero_grad" or "checkpoint"; "" for a range that
// is none of them. Lives forever.
std::string_view PhaseOfRange(std::string_view name);

struct NumberedRange {
  std::string_view name;  // points into that of the range
  int64_t number = 0;
};

// Of a range that is one step of a training loop: "train_step_15", "STEP 3", "iteration#7", with what stands before the
// number as its name. Nothing for another.
std::optional<NumberedRange> NumberedStepOf(std::string_view name);

// The number of "ProfilerStep#12".
std::optional<int64_t> StepOfRange(std::string_view name);

}  // namespace lockstep::traces
