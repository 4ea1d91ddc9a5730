// One metric of every rank of a job over steps or over time, reduced to bins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/heat_map/time_bins.h"
#include "answers/load/load_context.h"
#include "answers/load/loaded_job.h"
#include "catalogue/roles.h"
#include "training/row_groups.h"

namespace lockstep::answers {

// The metric of a picture: "step_seconds", "own_seconds", "lateness" (own time above the peers'
// median, as a share of the step), "loss", "grad_norm", "memory_allocated_bytes", "phase:NAME", a
// device counter under any name in the catalogue, or, for the interfaces of the job's hosts,
// "nic_received_bytes_per_second" and "nic_sent_bytes_per_second".
struct PictureMetric {
  std::string name;
  std::string_view unit = "";
  std::optional<catalogue::Role> device = {};  // shown as catalogue::ShownNameOf() says
  std::optional<catalogue::Role> link = {};    // if set, use LinkPictureOf()
};

// Empty for any other name.
std::optional<PictureMetric> PictureMetricOf(std::string_view name);
JobNeeds NeedsOf(const PictureMetric& metric);

// One row per rank of the job and one column per bin. Matrices are empty if there is no data.
struct RankPicture {
  std::vector<PictureBin> bins;
  training::PictureCells cells;
};

// Makes at most `bins` bins. `job` must have been loaded with NeedsOf(metric).
RankPicture PictureOverSteps(const LoadedJob& job, const PictureMetric& metric, size_t bins);
RankPicture PictureOverTime(const LoadedJob& job, const PictureMetric& metric, size_t bins);

// The metric names for which the job has stored data.
absl::StatusOr<std::vector<std::string>> PictureMetricsOf(const JobQuery& query,
                                                          const LoadContext& context);

}  // namespace lockstep::answers
