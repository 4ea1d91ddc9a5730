// One number of every rank of a job over its steps or over time, reduced to bins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "answers/loaded_job.h"
#include "answers/time_bins.h"
#include "training/row_groups.h"

namespace lockstep::answers {

// What a picture shows: "step_seconds", "own_seconds", "lateness" (own time above the median of the ranks that do the
// same, as a share of the step), "loss", "grad_norm", "memory_allocated_bytes", "phase:NAME", a device
// counter under any name that the catalogue knows, or of the interfaces of the job's hosts
// "nic_received_bytes_per_second" and "nic_sent_bytes_per_second".
struct PictureMetric {
  std::string name;
  std::string_view unit = "";
  std::optional<training::DeviceCounter> device = {};
  std::optional<training::LinkCounter> link = {};  // its picture is LinkPictureOf's
};

// Nothing for a name that is none of these.
std::optional<PictureMetric> PictureMetricOf(std::string_view name);
JobNeeds NeedsOf(const PictureMetric& metric);

// A row per rank of the job and a column per bin. Empty matrices: nothing is stored of the metric.
struct RankPicture {
  std::vector<PictureBin> bins;
  training::PictureCells cells;
};

// At most `bins` bins. `job` was loaded with NeedsOf(metric).
RankPicture PictureOverSteps(const LoadedJob& job, const PictureMetric& metric, size_t bins);
RankPicture PictureOverTime(const LoadedJob& job, const PictureMetric& metric, size_t bins);

// The names that the job can be asked for, by what is stored of it.
absl::StatusOr<std::vector<std::string>> PictureMetricsOf(const JobQuery& query,
                                                          const LoadContext& context);

}  // namespace lockstep::answers
