// Steps and time, each asked with the other; device samples per step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/devices.h"
#include "training/steps.h"

namespace lockstep::training {

// The column of the step that was being done at `time_ms`. None before the first began or after the last
// ended.
std::optional<size_t> StepAt(const StepTable& table, int64_t time_ms);

TimeRange TimeOfStep(const StepTable& table, size_t column);

// What a counter grew by in each step: joules, bytes, throttled time. Between samples it grows evenly; a
// sample below the one before is a restart. Unknown for steps that samples do not cover.
std::vector<double> IncreasePerStep(const CounterSeries& counter, const StepTable& table);

// Mean of a gauge over each step; each sample holds since the one before it.
std::vector<double> MeanPerStep(const CounterSeries& gauge, const StepTable& table);

}  // namespace lockstep::training
