// Which labels may be a series, and why others may not. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/ingest_stats.h"
#include "ingest/limits.h"
#include "model/labels.h"

namespace lockstep {

struct BadLabels {
  RejectReason reason;
  std::string why;  // one clause
};

// By name; labels of one name stay in their order.
void SortLabels(std::vector<LabelView>& labels);

// What holds for every way in. Precondition: sorted.
std::optional<BadLabels> CheckLabels(std::span<const LabelView> labels, const IngestLimits& limits);

// What remote write 2.0 asks of senders on top: names in order, values that are not empty.
std::optional<BadLabels> CheckSpelling(std::span<const LabelView> labels);

}  // namespace lockstep
