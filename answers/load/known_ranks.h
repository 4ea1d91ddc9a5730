// Finds the ranks of a job and where each of them runs, from the labels of its series and from
// registrations, schedulers and containers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "answers/load/series_roles.h"
#include "identity/store/identity_reader.h"
#include "training/job/job.h"

namespace lockstep::answers {

struct KnownRanks {
  std::vector<training::RankPlace> places;  // ascending by rank; at least one
  std::vector<std::string> gpu_models;      // by rank, as drivers report them; empty if unknown
  // Where ranks ran, for device series that do not name the job. Empty if the job's own series
  // suffice.
  std::vector<identity::Placement> placements;
  int64_t world_size = 0;  // as registered; 0 if it was not
  // The label value of the rank whose step numbers define the job's attempts, "" for series without
  // that label. Empty if there are no step numbers.
  std::optional<std::string> numbering_rank;

  // Empty for a rank that is not in the job. Series without a rank belong to the first rank.
  std::optional<size_t> RowOf(int64_t rank) const;
  std::optional<size_t> RowOf(const SeriesOrigin& origin) const;
  // The rows that run on the GPU of a series. If several ranks share a GPU, its series name no
  // rank.
  std::vector<size_t> RowsOn(const SeriesOrigin& origin) const;
};

// Returns kNotFound if there is no data for a training job of that name in that time, and errors of
// the budget and of the store.
absl::StatusOr<KnownRanks> FindRanks(const std::string& job, const TimeRange& time,
                                     const LoadContext& context);

}  // namespace lockstep::answers
