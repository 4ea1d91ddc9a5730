// What is known of a stream beside its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::logs {

struct LogHints {
  std::string format;  // a name of log_formats.h; "": found from the first lines
  std::string job;
  std::string run;
  std::optional<int32_t> rank;  // of lines that do not say
  int32_t first_rank = 0;       // added to ranks that torchrun prints in front of lines
  uint32_t attempt = 0;         // that the stream begins in
  int64_t logging_steps = 0;    // steps between two records that have no step; 0: not known
  int32_t utc_offset_s = 0;     // of times without a zone
  std::string metric;           // of a file that holds one metric without its name
  // What the step column of a CSV counts: DeepSpeed's monitor writes samples.
  bool steps_are_samples = false;
};

// What the path of a log file says: torchrun's trees (RUN_RANDOM/attempt_1/3/stdout.log), Slurm's names
// (slurm-4242_3.out), ranks in names (NeMo's nemo_log_globalrank-3_..., rank3.log), Lightning's version_2, MLflow's mlruns/EXPERIMENT/RUN/metrics/KEY, DeepSpeed's monitor.
LogHints HintsFromPath(std::string_view path);

}  // namespace lockstep::logs
