// Registration: what a launcher reports once about a rank or about its job, and the samples that
// store it.
//
// It is stored only as samples of info series, so it is journaled, backed up, expired and queried
// like all other samples:
//   lockstep_rank_info{job, attempt, rank, host, gpu, UUID, gpu_model, stage, tp, dp, ep, pp, cp}
//       1 from its beginning, 0 at its end
//   lockstep_job_info{job, attempt, world_size, model_*, parallelism_*}
//       1
//   lockstep_exit_code{job, attempt, rank}
//       the exit code of a rank's process, or of the job if there is no rank, at its end
//   lockstep_rank_alive{job, attempt, rank}
//       1 whenever the process reports that it is still running
// Pure; safe from any thread.
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
  std::optional<int64_t> rank = {};  // absent: it is about the job only
  Seat seat = {};
  Coordinates coordinates = {};
  std::optional<int64_t> world_size = {};
  // "hidden_size" to "4096": names and values as the launcher sends them, with nested names joined
  // by '_'.
  std::vector<std::pair<std::string, std::string>> model = {};
  std::vector<std::pair<std::string, std::string>> parallelism = {};
  std::optional<int64_t> from_ms = {};  // absent: now
  std::optional<int64_t> to_ms = {};    // absent: not known yet
  // As reported by the process or the scheduler, 0 for success; it ended at `to_ms`, or now.
  std::optional<int64_t> exit_code = {};
  std::optional<int64_t> alive_ms = {};  // when the rank's process was alive
};

struct InfoSeries {
  LabelSet labels;
  std::vector<Sample> samples;
};

// kInvalidArgument says what is missing or contradictory.
absl::StatusOr<std::vector<InfoSeries>> SeriesOf(const Registration& registration, int64_t now_ms);

}  // namespace lockstep::identity
