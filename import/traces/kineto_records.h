// A profiled trace as records, one of each metric per step. Pure function.
#pragma once

#include <vector>

#include "import/traces/kineto_trace.h"
#include "import/traces/step_profile.h"
#include "import/traces/trace_record.h"

namespace lockstep::traces {

// The time of a record is the end of its step's window, the rank that of the trace. With several devices in one trace
// those of a device carry the label `device`. docs/trace_formats.md lists the metrics.
void AppendRecords(const KinetoTrace& trace, const TraceProfile& profile,
                   std::vector<TraceRecord>& records);

}  // namespace lockstep::traces
