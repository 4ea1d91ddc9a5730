#include "tests/training/straggler_trace.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/training/gzip_text.h"
#include "training/step_alignment.h"

namespace lockstep::training {
namespace {

std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  return fields;
}

struct TracedStep {
  double end_us = 0;
  std::map<std::string, double> phase_us;
};

constexpr double kUsPerS = 1e6;
constexpr std::string_view kPhases[] = {"forward-compute", "backward-compute", "optimizer",
                                        "optimizer-clip-main-grad", "gc"};

RankSteps RankOf(const std::map<int64_t, TracedStep>& steps) {
  RankSteps rank;
  for (const std::string_view phase : kPhases) rank.phases.push_back({std::string(phase), {}});
  for (const auto& [number, step] : steps) {
    rank.step.push_back(number);
    rank.end_ms.push_back(static_cast<int64_t>(step.end_us / 1000));
    for (NamedColumn& phase : rank.phases) {
      const auto at = step.phase_us.find(phase.name);
      phase.values.push_back(at == step.phase_us.end() ? kUnknown : at->second / kUsPerS);
    }
  }
  return rank;
}

}  // namespace

TracedJob LoadTrace(std::string_view name) {
  const std::string text = ReadGzip("straggler_traces/" + std::string(name) + "_phases.csv.gz");
  std::map<std::pair<int64_t, int64_t>, std::map<int64_t, TracedStep>> ranks;  // by stage, dp rank
  bool is_header = true;
  for (const std::string_view line : Lines(text)) {
    if (std::exchange(is_header, false)) continue;
    const std::vector<std::string> fields = Fields(line);
    TracedStep& step = ranks[{std::stoll(fields[2]), std::stoll(fields[1])}][std::stoll(fields[0])];
    step.phase_us[fields[3]] += std::strtod(fields[5].c_str(), nullptr);
    step.end_us = std::max(step.end_us, std::strtod(fields[7].c_str(), nullptr));
  }
  TracedJob traced;
  traced.job.name = name;
  std::vector<RankSteps> rows;
  for (const auto& [place, steps] : ranks) {
    traced.job.ranks.push_back({.rank = place.second, .stage = place.first});
    rows.push_back(RankOf(steps));
  }
  traced.steps = AlignSteps(rows);
  return traced;
}

}  // namespace lockstep::training
