// Amounts: what a counter grew by, or what a rate adds up to, between moments that are not those of
// samples: joules, bytes, throttled seconds or dropped packets of each training step.
//
//   samples    o-------------o-------------o-------------o
//   steps            |---------|----|---------|
//
// Between two samples a counter is taken to grow evenly, and a rate is that of the later sample,
// which covers the time since the one before it. So the amounts of steps that follow each other add
// up to exactly what the samples say of all of them together, however long steps and samples are.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sample.h"

namespace lockstep::training {

enum class Measured : uint8_t {
  kCounter,  // grows, and begins again at 0 when it was reset
  kRate,     // something per second
};

// The amount in each of `times`; kUnknown where the samples do not say. `samples` are the floats of
// one series, with stale markers.
//
// Where samples are further apart than `longest_gap_ms`, or the series ended between them, what
// happened at a moment between them is unknown. A counter that has both ends of a time outside of
// such a gap is known all the same, because its next sample has counted what happened meanwhile.
std::vector<double> AmountsIn(const SampleColumns& samples, Measured measured,
                              std::span<const TimeRange> times, int64_t longest_gap_ms);

}  // namespace lockstep::training
