// A series is a target and a metric: what is measured, and which of its measurements.
//
//   metric   the labels __name__, cpu, direction, lane, le, link, mode, phase, port, quantile and state
//   target   all other labels: job, instance, rank, gpu, UUID, ...
//
// The first are what varies inside one target, with the same few values in all of them. So targets have
// many series and metrics have many targets, and each of both has its labels kept once. Which name is in
// which part is fixed: matchers of one name concern one part. It is on disk by its effect
// (docs/formats/keys.md). A name that would fit better on the other side costs memory, never an answer.
//
// Pure functions, safe from any thread. Labels are packed as LabelSet::bytes() has them.
#pragma once

#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep {

bool IsMetricLabel(std::string_view name);

// Replaces `target` and `metric` by the labels of each part.
void SplitLabels(const LabelSet& labels, std::string& target, std::string& metric);

// The series' labels again, from two sets without a common name.
LabelSet MergeLabels(const LabelSet& target, const LabelSet& metric);

}  // namespace lockstep
