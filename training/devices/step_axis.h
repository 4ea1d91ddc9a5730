// Converts between steps and time, and device samples to values per step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/steps.h"

namespace lockstep::training {

// The column of the step in progress at `time_ms`. Empty before the first step begins and after the
// last ends.
std::optional<size_t> StepAt(const StepTable& table, int64_t time_ms);

TimeRange TimeOfStep(const StepTable& table, size_t column);

// Mean of a gauge over each step; each sample covers the time since the previous one.
std::vector<double> MeanPerStep(const CounterSeries& gauge, const StepTable& table);

}  // namespace lockstep::training
