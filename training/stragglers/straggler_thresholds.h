// The thresholds of the straggler answers, each with its reason. docs/training-answers.md lists how
// far recorded healthy and slow ranks are from them.
#pragma once

#include <array>

#include "training/episodes/episodes.h"

namespace lockstep::training {

// Own time, as a share of the step. Healthy chips at their power limit differ permanently by up to
// 2.2 % ("level"), and each drifts by up to 1.2 % as it warms up and cools down ("change"). A short
// window has twice the noise of a long one, so its thresholds are doubled.
inline constexpr std::array kOwnTimeScales = {
    EpisodeScale{.window = 11, .level = 0.05, .change = 0.03},
    EpisodeScale{.window = 25, .level = 0.025, .change = 0.015}};

// Time in data and copies to the device, as a share of the step. Healthy ranks agree to 0.1 % of
// the step; the threshold is a chip's possible drift.
inline constexpr std::array kHostScales = {
    EpisodeScale{.window = 11, .level = 0.03, .change = 0.03},
    EpisodeScale{.window = 25, .level = 0.015, .change = 0.015}};

// Devices: the graphics engine of a rank that waits for its host is idle, while the other ranks
// spin in a collective. Between healthy ranks, the ratios differ by less than 0.002, except for
// single stalls.
inline constexpr double kLeastEngineDeficit = 0.015;
// A rank that computes keeps its SMs at 0.9, one that waits spins at 0.17, so one percent of a step
// is 0.007. Healthy chips differ by up to 0.017 for a few seconds, as their clocks do.
inline constexpr double kLeastSmExcess = 0.022;
// Copies of a normal batch need a thousandth of this; a device link carries 10 to 60 times this.
inline constexpr double kCopyingBytesPerS = 1e9;

// Step time alone: all ranks together drift by less than 0.9 % when warm.
inline constexpr double kSlowerStepsShort = 0.03;
inline constexpr double kSlowerStepsLong = 0.0125;
// If ranks are known and none stands out, the job counts as slow only above this.
inline constexpr double kSlowerJob = 0.10;

// Imbalance within a group and between stages that costs a tenth of the step.
inline constexpr double kUnevenSpread = 1.10;
inline constexpr double kStageSpread = 1.10;

// Reasons for a late GPU, compared with its peers. Under the same power limit, clocks of healthy
// chips differ by up to 4 %, and their power by 1 %.
inline constexpr double kLowerClock = 0.95;
inline constexpr double kLowerPower = 0.98;
inline constexpr double kLowerPowerLimit = 0.98;
inline constexpr double kMoreTensorWork = 0.01;
// The limit of A100 memory; HBM3 has a similar one.
inline constexpr double kHotMemoryC = 95.0;

}  // namespace lockstep::training
