// The meaning of TensorBoard tags: the names of scalars from trainers and loggers. Pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/traces/records/trace_record.h"

namespace lockstep::traces {

struct TagMeaning {
  std::string metric;  // the tag itself if unknown
  std::string_view unit;
  double scale = 1;  // from the written value to `unit`
  // Writers use percent or a ratio: above 1.5 it is percent.
  bool is_percent_or_ratio = false;
  std::vector<TraceLabel> labels;

  double InUnit(double written) const {
    return is_percent_or_ratio && written > 1.5 ? written * 0.01 : written * scale;
  }
};

// The step of tags ending in " vs samples" (Megatron) or below Train/Samples/ (DeepSpeed) is a
// number of samples: they get the label axis="samples".
TagMeaning MeaningOfTag(std::string_view tag);

}  // namespace lockstep::traces
