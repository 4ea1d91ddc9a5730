// Converts a profiled trace to records, one per metric and step. Pure function.
#pragma once

#include <vector>

#include "import/traces/kineto/kineto_trace.h"
#include "import/traces/profile/step_profile.h"
#include "import/traces/records/trace_record.h"

namespace lockstep::traces {

// A record's time is the end of its step's window, its rank the trace's. If a trace has several
// devices, records of a device carry the label `device`. docs/trace_formats.md lists the metrics.
void AppendRecords(const KinetoTrace& trace, const TraceProfile& profile,
                   std::vector<TraceRecord>& records);

}  // namespace lockstep::traces
