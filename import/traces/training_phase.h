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

// The number of "ProfilerStep#12".
std::optional<int64_t> StepOfRange(std::string_view name);

}  // namespace lockstep::traces
