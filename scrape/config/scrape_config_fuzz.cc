// Any text is either rejected as a configuration, or yields jobs with names and scrapable targets.
// Likewise, it is either rejected as a target list for discovery, or yields groups with sources.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "scrape/config/scrape_config_file.h"
#include "scrape/config/target_groups.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::scrape;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto jobs = ParseScrapeConfigs(text, "lockstep.yml"); jobs.ok()) {
    std::set<std::string> names;
    for (const ScrapeConfig& job : *jobs) {
      LOCKSTEP_CHECK(!job.job_name.empty());
      LOCKSTEP_CHECK(names.insert(job.job_name).second);
    }
  }
  if (const auto groups = ParseTargetGroups(text, "targets.yml"); groups.ok()) {
    for (const TargetGroup& group : *groups) {
      LOCKSTEP_CHECK(group.source.starts_with("targets.yml"));
    }
  }
  return 0;
}
