// Bounds of classic histograms and quantiles of summaries, which texts write in several ways, in one: le="1" is "1.0".
// Source: Prometheus 3, model/textparse (labels of series that follow a TYPE line). Pure functions.
#pragma once

#include <string_view>

#include "ingest/exposition/series_text.h"

namespace lockstep::exposition {

// The label that is a bound in series that follow a TYPE line with this text: "le", "quantile", or "" for none.
std::string_view BoundLabelOf(std::string_view type);

// Writes the label's value as OpenMetrics writes the number. What is no number stays.
void UnifyBound(std::string_view bound_label, SeriesLabels& labels);

}  // namespace lockstep::exposition
