// Exemplars of OTLP as those of Prometheus. Pure functions.
#pragma once

#include <optional>

#include "ingest/exemplar_store.h"
#include "ingest/otlp/metric_points.h"

namespace lockstep::otlp {

// With the trace and the span, and with the attributes if all together are not longer than an exemplar's labels
// may be. Nothing if it has no value.
std::optional<Exemplar> ExemplarOf(const OtlpExemplar& exemplar);

}  // namespace lockstep::otlp
