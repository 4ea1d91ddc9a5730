// Converts io.prometheus.client messages to text: series and exemplars for ParseSeries() and
// ParseExemplar(). Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "ingest/exposition/family_message.h"

namespace lockstep::exposition {

// Escapes what Unescape() resolves.
void AppendEscaped(std::string& out, std::string_view text);

// name_suffix{label="value",le="0.5"}, or {"na.me_suffix",...}.
void AppendSeriesText(std::string& out, std::string_view name, const FamilyMetric& metric,
                      const FamilySample& sample);
// {label="value"} 0.5 1700000000.250
void AppendExemplarText(std::string& out, const FamilyExemplar& exemplar);

// A bound label's value in OpenMetrics' number format: "1.0", "0.25", "+Inf".
void AppendBound(std::string& out, double bound);

}  // namespace lockstep::exposition
