// The counter-reset hints that a store gives out with histograms, whatever it took in.
#pragma once

#include "model/sample.h"

namespace lockstep {

// Gauges stay gauges. Counter histograms form runs: the first of a run reads back as unknown, all others
// as not reset, and none ever as reset. A run ends with a reset (told or visible), a change of schema,
// zero threshold or custom bounds, a gauge, a float sample, and a stale marker.
SampleColumns WithStoredHints(const SampleColumns& columns);

}  // namespace lockstep
