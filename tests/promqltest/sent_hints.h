// The counter-reset hints that histograms carry on their way to a store.
#pragma once

#include "storage/storage.h"

namespace lockstep::promqltest {

// Scripts are written for a store that settles the hints by itself, as Prometheus' chunks do; ours keeps
// those of the sender, which has such chunks. Gauges stay gauges. Counter histograms form runs: the first
// of a run is sent as unknown, all others as not reset, and none as reset. A run ends with a reset (told
// or visible), a change of schema, zero threshold or custom bounds, a gauge, a float sample, and a stale
// marker. `histograms` and `samples` are ascending by time.
void SetSentHints(SeriesWrite& series);

}  // namespace lockstep::promqltest
