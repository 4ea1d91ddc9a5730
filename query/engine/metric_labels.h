// What PromQL does to whole label sets.
#pragma once

#include <string>

#include "model/labels.h"

namespace lockstep::engine {

inline constexpr std::string_view kMetricType = "__type__";
inline constexpr std::string_view kMetricUnit = "__unit__";

// `labels` without the name, type and unit of the metric: what is left when a value is no longer that
// metric's.
LabelSet DropMetric(const LabelSet& labels);

// {__name__="up", job="x"}: as error messages show a series.
std::string LabelsText(const LabelSet& labels);

// The error for two elements that became one.
absl::Status SameLabelsetError();

}  // namespace lockstep::engine
