// Who ran where, when, from what is stored: registrations, steps and device series of the time.
//
// One series of a GPU tells of all of them, so one of a few is read for each. Safe from any thread; nothing kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "identity/resolver.h"
#include "storage/storage.h"

namespace lockstep::identity {

struct IdentityContext {
  const Querier& querier;
  TimeRange range;
  QueryBudget* budget = nullptr;  // not owned; may be null
};

// Without placements for a job that nothing is known of.
absl::StatusOr<JobIdentity> ReadJobIdentity(const IdentityContext& context, std::string_view job);

// Names of the jobs of training in the range, sorted.
absl::StatusOr<std::vector<std::string>> ReadTrainingJobs(const IdentityContext& context);

struct GpuStay {
  std::string job;
  Placement placement;
};

// By time. kResourceExhausted: more jobs than kMaxJobsOfGpu used it.
absl::StatusOr<std::vector<GpuStay>> ReadGpuHistory(const IdentityContext& context,
                                                    std::string_view uuid);

// What the launcher said of the job itself: name and value, sorted. Of several, what was said last.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadJobInfo(
    const IdentityContext& context, std::string_view job);

inline constexpr size_t kMaxJobsOfGpu = 1000;

}  // namespace lockstep::identity
