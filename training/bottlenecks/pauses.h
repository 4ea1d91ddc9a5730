// When a device stopped in the middle of a job: a hang of its rank, a checkpoint, or a restart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/job.h"

namespace lockstep::training {

// Periods of at least `least_ms` in which the device was idle for two samples or more, in order.
// `engine` is the activity of its graphics engine.
std::vector<TimeRange> PausesOf(const CounterSeries& engine, int64_t least_ms);

// The longest part of the window that is entirely pause or entirely work, so that a mean over it
// does not mix the two. Work next to a pause is cut by one sample (`period_ms`), which covers some
// of both.
TimeRange MainPart(const TimeRange& window, std::span<const TimeRange> pauses, int64_t period_ms);

}  // namespace lockstep::training
