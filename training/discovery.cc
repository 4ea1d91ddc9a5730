#include "training/discovery.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::training {
namespace {

// A step that takes this many times longer than usual, or a device that is silent for as long, is a sign.
constexpr double kOverdueFactor = 10.0;
// Scrapes and pushes come late by that much.
constexpr int64_t kLatenessMs = 60'000;

void Fill(std::string& known, const std::string& seen) {
  if (known.empty()) known = seen;
}

void AddSeries(const SeenSeries& series, std::map<int64_t, RankPlace>& ranks) {
  if (!series.rank.has_value()) return;
  RankPlace& place = ranks[*series.rank];
  place.rank = *series.rank;
  Fill(place.host, series.host);
  Fill(place.gpu, series.gpu);
  Fill(place.gpu_uuid, series.gpu_uuid);
}

// Two ranks on one GPU, or one label for two.
void WarnOfSharedGpus(const Job& job, std::vector<std::string>& warnings) {
  std::map<std::string, int64_t> by_gpu;
  for (const RankPlace& place : job.ranks) {
    if (place.gpu_uuid.empty()) continue;
    const auto [at, is_new] = by_gpu.emplace(place.gpu_uuid, place.rank);
    if (!is_new) {
      warnings.push_back(absl::StrFormat("ranks %d and %d are both on GPU %s", at->second,
                                         place.rank, place.gpu_uuid));
    }
  }
}

}  // namespace

std::vector<DiscoveredJob> DiscoverJobs(std::span<const SeenSeries> series) {
  std::map<std::string, std::map<int64_t, RankPlace>> ranks_of_jobs;
  std::map<std::string, TimeRange> seen;
  for (const SeenSeries& one : series) {
    if (one.job.empty()) continue;
    AddSeries(one, ranks_of_jobs[one.job]);
    const auto [at, is_new] = seen.emplace(one.job, one.time);
    at->second.from_ms = std::min(at->second.from_ms, one.time.from_ms);
    at->second.to_ms = std::max(at->second.to_ms, one.time.to_ms);
  }
  std::vector<DiscoveredJob> jobs;
  for (auto& [name, ranks] : ranks_of_jobs) {
    DiscoveredJob found;
    found.job.name = name;
    found.seen = seen[name];
    found.job.begin_ms = found.seen.from_ms;
    for (auto& [rank, place] : ranks) found.job.ranks.push_back(std::move(place));
    found.warnings = CheckJob(found.job, 0, {});
    jobs.push_back(std::move(found));
  }
  return jobs;
}

std::vector<std::string> CheckJob(const Job& job, int64_t reported_world_size,
                                  const Parallelism& parallelism) {
  std::vector<std::string> warnings;
  const auto known = static_cast<int64_t>(job.ranks.size());
  const int64_t highest = job.ranks.empty() ? -1 : job.ranks.back().rank;
  const int64_t world = std::max(reported_world_size, highest + 1);
  if (known < world) {
    warnings.push_back(absl::StrFormat("%d of %d ranks report nothing", world - known, world));
  }
  const int64_t product =
      parallelism.data * parallelism.tensor * parallelism.pipeline * parallelism.context;
  if (parallelism.data > 0 && product != world) {
    warnings.push_back(absl::StrFormat(
        "world size is %d, but data %d x tensor %d x pipeline %d x context %d is %d", world,
        parallelism.data, parallelism.tensor, parallelism.pipeline, parallelism.context, product));
  }
  const int64_t share = parallelism.micro_batch * parallelism.data;
  if (share > 0 && parallelism.global_batch % share != 0) {
    warnings.push_back(
        absl::StrFormat("a global batch of %d is no multiple of micro batch %d x data parallel %d",
                        parallelism.global_batch, parallelism.micro_batch, parallelism.data));
  }
  WarnOfSharedGpus(job, warnings);
  return warnings;
}

void SetStages(const Parallelism& parallelism, Job& job) {
  const int64_t per_stage = parallelism.data * parallelism.tensor * parallelism.context;
  if (per_stage <= 0 ||
      per_stage * parallelism.pipeline != static_cast<int64_t>(job.ranks.size())) {
    return;
  }
  for (RankPlace& place : job.ranks) place.stage = place.rank / per_stage;
}

std::string_view Name(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "running";
    case JobState::kStalled:
      return "stalled";
    case JobState::kEnded:
      return "ended";
    case JobState::kCrashed:
      return "crashed";
    case JobState::kUnknown:
      break;
  }
  return "unknown";
}

JobState StateOf(const JobSigns& signs) {
  const auto overdue_ms =
      kLatenessMs + static_cast<int64_t>(kOverdueFactor * 1000 * signs.usual_step_seconds);
  const bool has_device = signs.last_device_sample_ms.has_value() &&
                          signs.now_ms - *signs.last_device_sample_ms <= kLatenessMs;
  if (!signs.last_step_end_ms.has_value()) {
    return has_device ? JobState::kRunning : JobState::kUnknown;
  }
  if (signs.now_ms - *signs.last_step_end_ms <= overdue_ms) return JobState::kRunning;
  if (has_device) return JobState::kStalled;
  const bool is_short = signs.planned_steps.has_value() && signs.last_step.has_value() &&
                        *signs.last_step + 1 < *signs.planned_steps;
  return is_short ? JobState::kCrashed : JobState::kEnded;
}

}  // namespace lockstep::training
