// Labels of derived series.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "training/job/job.h"

namespace lockstep::answers {

using ExtraLabels = std::vector<std::pair<std::string_view, std::string_view>>;

LabelSet LabelsOfJob(std::string_view metric, std::string_view job, const ExtraLabels& extra);
// With labels `job`, `rank`, `host` and `gpu`.
LabelSet LabelsOfRank(std::string_view metric, std::string_view job,
                      const training::RankPlace& place, ExtraLabels extra);

}  // namespace lockstep::answers
