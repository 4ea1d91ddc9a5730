// Normalizes the bounds of classic histograms and the quantiles of summaries, which texts spell
// differently: le="1" becomes "1.0". Source: Prometheus 3, model/textparse (labels of series after
// a TYPE line). Pure functions.
#pragma once

#include <string_view>

#include "ingest/exposition/series_text.h"

namespace lockstep::exposition {

// The bound label of series after a TYPE line with this type: "le", "quantile", or "" for none.
std::string_view BoundLabelOf(std::string_view type);

// Rewrites the label's value in OpenMetrics' number format; a value that is not a number stays.
void UnifyBound(std::string_view bound_label, SeriesLabels& labels);

}  // namespace lockstep::exposition
