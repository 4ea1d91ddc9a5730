// When a device stood still in the middle of a job: a hang of its rank, a checkpoint, a restart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/devices.h"
#include "training/job.h"

namespace lockstep::training {

// Stretches of at least `least_ms` in which the device was idle in two samples or more. In order; `engine` is its
// graphics engine's activity.
std::vector<TimeRange> PausesOf(const CounterSeries& engine, int64_t least_ms);

// The longest part of the window that is all pause or all work, so that a mean over it is of one of them. Next to a
// pause a work part ends a sample (`period_ms`) early: that one covers some of both.
TimeRange MainPart(const TimeRange& window, std::span<const TimeRange> pauses, int64_t period_ms);

}  // namespace lockstep::training
