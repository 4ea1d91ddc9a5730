// Finds who ran where and when from stored series: registrations, steps and device series of the
// time.
//
// One series of a GPU represents all of them, so only one of a few is read for each GPU. Safe from
// any thread; keeps nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "identity/resolver.h"
#include "storage/query.h"

namespace lockstep::identity {

struct IdentityContext {
  const Querier& querier;
  TimeRange range;
  QueryBudget* budget = nullptr;  // not owned; may be null
};

// Without placements if nothing is known about the job.
absl::StatusOr<JobIdentity> ReadJobIdentity(const IdentityContext& context, std::string_view job);

struct GpuStay {
  std::string job;
  Placement placement;
};

// By time. kResourceExhausted: more jobs than kMaxJobsOfGpu used it.
absl::StatusOr<std::vector<GpuStay>> ReadGpuHistory(const IdentityContext& context,
                                                    std::string_view uuid);

// What the launcher reported about the job itself: sorted names and values. The latest value of
// each name wins.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadJobInfo(
    const IdentityContext& context, std::string_view job);

inline constexpr size_t kMaxJobsOfGpu = 1000;

}  // namespace lockstep::identity
