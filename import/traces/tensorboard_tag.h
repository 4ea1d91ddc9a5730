// What a TensorBoard tag means: the names that trainers and loggers give their scalars. Pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/traces/trace_record.h"

namespace lockstep::traces {

struct TagMeaning {
  std::string metric;  // the tag itself if it is not known
  std::string_view unit;
  double scale = 1;  // from what is written to `unit`
  // Some writers mean percent, others a ratio: above 1.5 it is percent.
  bool is_percent_or_ratio = false;
  std::vector<TraceLabel> labels;

  double InUnit(double written) const {
    return is_percent_or_ratio && written > 1.5 ? written * 0.01 : written * scale;
  }
};

// Tags ending in " vs samples" (Megatron) and those below Train/Samples/ (DeepSpeed) have the number of samples
// as their step: they get the label axis="samples".
TagMeaning MeaningOfTag(std::string_view tag);

}  // namespace lockstep::traces
