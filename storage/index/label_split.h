// A series is a target and a metric: the thing that is measured, and one of its measurements.
//
//   metric   the labels __name__, cpu, direction, lane, le, link, mode, phase, port, quantile and
//            state
//   target   all other labels: job, instance, rank, gpu, UUID, ...
//
// The metric labels vary within one target, with the same few values in all targets. So targets
// have many series and metrics have many targets, and the labels of each are stored once. Each name
// belongs to a fixed part, so matchers on one name concern one part. The split affects what is on
// disk (docs/formats/keys.md). A name that would fit better on the other side costs memory, never
// an answer.
//
// Pure functions, safe from any thread. Labels are packed as LabelSet::bytes() has them.
#pragma once

#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep {

bool IsMetricLabel(std::string_view name);

// Replaces `target` and `metric` with the labels of each part.
void SplitLabels(const LabelSet& labels, std::string& target, std::string& metric);

// Rebuilds the series' labels from two sets without a common name.
LabelSet MergeLabels(const LabelSet& target, const LabelSet& metric);

}  // namespace lockstep
