// PromQL's operations on whole label sets.
#pragma once

#include <string>

#include "model/labels.h"

namespace lockstep::engine {

inline constexpr std::string_view kMetricType = "__type__";
inline constexpr std::string_view kMetricUnit = "__unit__";

// `labels` without the name, type and unit of the metric, for a value that is no longer that
// metric's.
LabelSet DropMetric(const LabelSet& labels);

// {__name__="up", job="x"}: a series in error messages.
std::string LabelsText(const LabelSet& labels);

// The error for two elements with equal labels.
absl::Status SameLabelsetError();

}  // namespace lockstep::engine
