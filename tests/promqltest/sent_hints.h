// The counter-reset hints that histograms carry on their way to a store.
#pragma once

#include "storage/write.h"

namespace lockstep::promqltest {

// Sets the hints that Prometheus would send. Scripts expect a store that derives the hints itself,
// as Prometheus' chunks do; ours keeps those of the sender. Gauges stay gauges. Counter histograms
// form runs: the first of a run is sent as unknown, the others as not reset, none as reset. A run
// ends with a reset (hinted or visible), a change of schema, zero threshold or custom bounds, a
// gauge, a float sample, or a stale marker. `histograms` and `samples` must ascend by time.
void SetSentHints(SeriesWrite& series);

}  // namespace lockstep::promqltest
