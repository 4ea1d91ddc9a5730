// Target: one place to scrape, as configuration, discovery and relabelling made it. Immutable; safe from any
// thread.
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
  LabelSet labels;             // of every sample: none begins with "__"
  std::string url;
  milliseconds interval{};
  milliseconds timeout{};
  std::string refusal;  // why it is not asked and counts as down; "": it is

  // Of the same job, this and another one of the same key are the same target.
  std::string Key() const { return labels.bytes() + url; }
};

// The targets of one job.
struct TargetList {
  std::vector<std::shared_ptr<const Target>> active;  // each once
  std::vector<LabelSet> dropped;                      // by relabelling; their discovered labels
  uint64_t dropped_count = 0;                         // which may be more
  std::vector<std::string> errors;                    // of those that cannot be targets
};

TargetList MakeTargets(const std::shared_ptr<const ScrapeConfig>& config,
                       const std::vector<TargetGroup>& groups);

}  // namespace lockstep::scrape
