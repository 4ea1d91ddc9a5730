// Registration: what a launcher says once of a rank or of its job, and the samples that keep it.
//
// It is stored as samples of two info series and nothing else, so that it is journaled, backed up, expires and is queried
// like all others:
//   lockstep_rank_info{job, attempt, rank, host, gpu, UUID, gpu_model, stage, tp, dp, ep, pp, cp}  1 from its begin, 0 at its end
//   lockstep_job_info{job, attempt, world_size, model_*, parallelism_*}                            1
//   lockstep_exit_code{job, attempt, rank}  of a rank's process, or of the job if there is no rank, at its end
//   lockstep_rank_alive{job, attempt, rank} 1 whenever the process says that it is still there
// Pure: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "identity/sighting.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::identity {

inline constexpr std::string_view kRankInfoMetric = "lockstep_rank_info";
inline constexpr std::string_view kJobInfoMetric = "lockstep_job_info";
inline constexpr std::string_view kExitCodeMetric = "lockstep_exit_code";
inline constexpr std::string_view kRankAliveMetric = "lockstep_rank_alive";

struct Registration {
  std::string job;
  int64_t attempt = 0;
  std::optional<int64_t> rank = {};  // absent: it is of the job alone
  Seat seat = {};
  Coordinates coordinates = {};
  std::optional<int64_t> world_size = {};
  // "hidden_size" to "4096": names and values as the launcher gives them, nested ones joined by '_'.
  std::vector<std::pair<std::string, std::string>> model = {};
  std::vector<std::pair<std::string, std::string>> parallelism = {};
  std::optional<int64_t> from_ms = {};  // absent: now
  std::optional<int64_t> to_ms = {};    // absent: not known yet
  // As the process or the scheduler gives it, 0 for success; it ended at `to_ms`, or now.
  std::optional<int64_t> exit_code = {};
  std::optional<int64_t> alive_ms = {};  // when the rank's process was there
};

struct InfoSeries {
  LabelSet labels;
  std::vector<Sample> samples;
};

// kInvalidArgument says what is missing or does not fit together.
absl::StatusOr<std::vector<InfoSeries>> SeriesOf(const Registration& registration, int64_t now_ms);

}  // namespace lockstep::identity
