// What is known about a stream besides its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::logs {

struct LogHints {
  std::string format;  // a name from log_formats.h; "": detect from the first lines
  std::string job;
  std::string run;
  std::optional<int32_t> rank;  // for lines without a rank
  int32_t first_rank = 0;       // added to the ranks in torchrun's prefixes
  uint32_t attempt = 0;         // the stream's first attempt
  int64_t logging_steps = 0;    // steps between records without a step; 0: unknown
  int32_t utc_offset_s = 0;     // for times without a zone
  std::string metric;           // for a file with one unnamed metric
  // Whether a CSV's step column counts samples, as in DeepSpeed's monitor.
  bool steps_are_samples = false;
};

// Hints from a log file's path: torchrun's trees (RUN_RANDOM/attempt_1/3/stdout.log), Slurm's names
// (slurm-4242_3.out), ranks in names (NeMo's nemo_log_globalrank-3_..., rank3.log), Lightning's
// version_2, MLflow's mlruns/EXPERIMENT/RUN/metrics/KEY, DeepSpeed's monitor.
LogHints HintsFromPath(std::string_view path);

}  // namespace lockstep::logs
