// Labels of derived series.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "model/matcher.h"
#include "training/job/job.h"

namespace lockstep::answers {

using ExtraLabels = std::vector<std::pair<std::string_view, std::string_view>>;

LabelSet LabelsOfJob(std::string_view metric, std::string_view job, const ExtraLabels& extra);
// With labels `job`, `rank`, `host` and `gpu`.
LabelSet LabelsOfRank(std::string_view metric, std::string_view job,
                      const training::RankPlace& place, ExtraLabels extra);

// Whether the labels match all of them.
bool Matches(const LabelSet& labels, std::span<const Matcher> matchers);

}  // namespace lockstep::answers
