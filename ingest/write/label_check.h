// Checks whether labels may form a series. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/write/ingest_stats.h"
#include "ingest/write/limits.h"
#include "model/labels.h"

namespace lockstep {

struct BadLabels {
  RejectReason reason;
  std::string why;  // one clause
};

// Sorts by name, stably.
void SortLabels(std::vector<LabelView>& labels);

// Checks the rules of all input formats. Precondition: sorted.
std::optional<BadLabels> CheckLabels(std::span<const LabelView> labels, const IngestLimits& limits);

// Checks the additional rules of remote write 2.0: sorted names, no empty values.
std::optional<BadLabels> CheckSpelling(std::span<const LabelView> labels);

}  // namespace lockstep
