// The notation of series in test scripts: `name{a="b"} 1 2+3x4 _ stale {{schema:0 sum:5}}`.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/histogram.h"
#include "model/labels.h"

namespace lockstep::notation {

// One slot of a series: a number, a histogram, or nothing.
struct SlotValue {
  double value = 0;
  std::shared_ptr<const Histogram> histogram;
  // Whether the notation specifies the histogram's reset hint; otherwise any hint matches.
  bool names_hint = false;
};
using Slot = std::optional<SlotValue>;

struct SeriesLine {
  LabelSet labels;
  std::vector<Slot> slots;
  // When the counter of each slot began, in seconds after the slot's own time; empty if unknown.
  std::vector<Slot> start_offsets;
};

absl::StatusOr<SeriesLine> ParseSeriesLine(std::string_view line);

// Parses a number as in values: decimal, a duration, `inf` or `NaN`; not hexadecimal.
std::optional<double> ParseValue(std::string_view text);

}  // namespace lockstep::notation
