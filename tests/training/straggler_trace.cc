#include "tests/training/straggler_trace.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/memory_storage.h"
#include "tests/training/gzip_text.h"
#include "tests/training/stored_job.h"

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

using StepsOfRank = std::map<int64_t, TracedStep>;

void StoreSteps(std::string_view job, int64_t rank, const StepsOfRank& steps,
                MemoryStorage& storage) {
  const std::string rank_label = std::to_string(rank);
  for (const auto& [number, step] : steps) {
    const auto end_ms = static_cast<int64_t>(step.end_us / 1000);
    const auto store = [&](std::string_view metric, std::string_view phase, double value) {
      storage.Append(
          LabelSet::Of(
              {{kMetricName, metric}, {"job", job}, {"rank", rank_label}, {"phase", phase}}),
          end_ms, value);
    };
    store("train_step", "", static_cast<double>(number));
    for (const std::string_view phase : kPhases) {
      const auto at = step.phase_us.find(std::string(phase));
      if (at != step.phase_us.end()) store("train_phase_seconds", phase, at->second / kUsPerS);
    }
  }
}

}  // namespace

TracedJob LoadTrace(std::string_view name) {
  const std::string text = ReadGzip("straggler_traces/" + std::string(name) + "_phases.csv.gz");
  std::map<std::pair<int64_t, int64_t>, StepsOfRank> ranks;  // by stage, dp rank
  bool is_header = true;
  for (const std::string_view line : Lines(text)) {
    if (std::exchange(is_header, false)) continue;
    const std::vector<std::string> fields = Fields(line);
    TracedStep& step = ranks[{std::stoll(fields[2]), std::stoll(fields[1])}][std::stoll(fields[0])];
    step.phase_us[fields[3]] += std::strtod(fields[5].c_str(), nullptr);
    step.end_us = std::max(step.end_us, std::strtod(fields[7].c_str(), nullptr));
  }
  MemoryStorage storage;
  int64_t rank = 0;
  for (const auto& [place, steps] : ranks) StoreSteps(name, rank++, steps, storage);
  answers::LoadedJob loaded = LoadStored(storage, std::string(name));
  TracedJob traced{std::move(loaded.job), std::move(loaded.steps)};
  size_t row = 0;
  for (const auto& [place, steps] : ranks) traced.job.ranks[row++].stage = place.first;
  // The traces omit part of each step, so the times between their ends are not step times.
  traced.steps.step_seconds = {};
  return traced;
}

}  // namespace lockstep::training
