// The thresholds of the straggler answers, each with its reason. docs/training-answers.md has the
// margins: how far recorded healthy and slow ranks are from them.
#pragma once

#include <array>

#include "training/episodes.h"

namespace lockstep::training {

// Own time, as a share of the step. Healthy chips at their power limit differ by up to 2.2 % for good
// ("level"), and each wanders by up to 1.2 % as it warms up and cools down ("change"). A short window sees
// twice the noise of a long one, so it asks for twice as much.
inline constexpr std::array kOwnTimeScales = {
    EpisodeScale{.window = 11, .level = 0.05, .change = 0.03},
    EpisodeScale{.window = 25, .level = 0.025, .change = 0.015}};

// Time in data and copies to the device, as a share of the step. It is the same on all healthy ranks, to
// 0.1 % of the step; what is asked for is what a chip may wander.
inline constexpr std::array kHostScales = {
    EpisodeScale{.window = 11, .level = 0.03, .change = 0.03},
    EpisodeScale{.window = 25, .level = 0.015, .change = 0.015}};

// Devices: the graphics engine of a rank that waits for its host rests, while those that wait for it
// spin in a collective. Between healthy ranks the difference of the ratios is below 0.002, but for
// single stalls.
inline constexpr double kLeastEngineDeficit = 0.015;
// A rank that computes longer keeps its SMs at 0.9, one that waits spins at 0.17: one percent of a step is
// 0.007. Healthy chips differ by up to 0.017 for some seconds, as their clocks do.
inline constexpr double kLeastSmExcess = 0.022;
// What copies of a normal batch take is a thousandth of this; a device link carries 10 to 60 times it.
inline constexpr double kCopyingBytesPerS = 1e9;

// Steps alone: all ranks together wander by under 0.9 % when warm.
inline constexpr double kSlowerStepsShort = 0.03;
inline constexpr double kSlowerStepsLong = 0.0125;
// Where ranks are known and none stands out, the job is called slow only for what matters.
inline constexpr double kSlowerJob = 0.10;

// Unevenness within a group, and between stages, that costs a tenth of the step.
inline constexpr double kUnevenSpread = 1.10;
inline constexpr double kStageSpread = 1.10;

// Reasons of a late GPU, against its peers. Under one power limit, clocks of healthy chips differ by
// up to 4 %, their power by 1 %.
inline constexpr double kLowerClock = 0.95;
inline constexpr double kLowerPower = 0.98;
inline constexpr double kLowerPowerLimit = 0.98;
inline constexpr double kMoreTensorWork = 0.01;
// The limit of A100 memory; HBM3 is specified alike.
inline constexpr double kHotMemoryC = 95.0;

}  // namespace lockstep::training
