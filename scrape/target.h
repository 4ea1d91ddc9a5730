// Target: one endpoint to scrape, from configuration, discovery and relabelling. Immutable and
// thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

struct Target {
  std::shared_ptr<const ScrapeConfig> config;
  LabelSet discovered_labels;  // before relabelling
  LabelSet labels;             // added to every sample; none begins with "__"
  std::string url;
  milliseconds interval{};
  milliseconds timeout{};
  std::string refusal;  // why it is not scraped and counts as down; "" if it is

  // Within a job, targets with the same key are the same.
  std::string Key() const { return labels.bytes() + url; }
};

// The targets of one job.
struct TargetList {
  std::vector<std::shared_ptr<const Target>> active;  // each once
  std::vector<LabelSet> dropped;    // discovered labels of targets dropped by relabelling
  uint64_t dropped_count = 0;       // may exceed dropped.size()
  std::vector<std::string> errors;  // for invalid targets
};

TargetList MakeTargets(const std::shared_ptr<const ScrapeConfig>& config,
                       const std::vector<TargetGroup>& groups);

}  // namespace lockstep::scrape
