// Which ranks a job has and where each of them runs, by the labels of what is stored of the job and by what
// registrations, schedulers and containers say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "answers/series_roles.h"
#include "identity/store/identity_reader.h"
#include "training/job.h"

namespace lockstep::answers {

struct KnownRanks {
  std::vector<training::RankPlace> places;  // ascending by rank; at least one
  std::vector<std::string> gpu_models;      // of each of them, as drivers say it; empty: not known
  // Where ranks ran, for series of devices that do not name the job. None where the job's series say enough.
  std::vector<identity::Placement> placements;
  int64_t world_size = 0;  // that was registered; 0: none was
  // The label's value of the rank whose step numbers tell the job's attempts, "" for series without one. Nothing:
  // nobody numbers steps.
  std::optional<std::string> numbering_rank;

  // Nothing for a rank that is not the job's. Series without a rank are of the first.
  std::optional<size_t> RowOf(int64_t rank) const;
  std::optional<size_t> RowOf(const SeriesOrigin& origin) const;
  // Those that run on the GPU a series is of. Where several ranks share one, the series of the GPU name
  // no rank.
  std::vector<size_t> RowsOn(const SeriesOrigin& origin) const;
};

// Errors: kNotFound if nothing is stored of a training job of that name in that time; those of the budget; others if
// the store failed.
absl::StatusOr<KnownRanks> FindRanks(const std::string& job, const TimeRange& time,
                                     const LoadContext& context);

}  // namespace lockstep::answers
