// The content of W&B's transaction log for a run. Plain data; views are valid until the reader's
// next call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wandb {

// Describes the run. Texts come from the user, cut to kMaxTextBytes.
struct WandbRun {
  std::string id;
  std::string entity;
  std::string project;
  std::string group;     // "": none
  std::string job_type;  // "": none
  std::string name;      // display name; "" for an unnamed offline run
  std::optional<int64_t> start_ms;
  std::optional<int64_t> rank;  // from its config: rank, global_rank, RANK
};

// A logged number with its path, joined by '.'.
struct WandbValue {
  std::string name;
  double value = 0;
};

// One run.log() call, or one sample of system metrics.
struct WandbRow {
  enum class Kind : uint8_t { kHistory, kSystem };
  Kind kind = Kind::kHistory;
  std::optional<int64_t> step;
  std::optional<int64_t> time_ms;
  std::vector<WandbValue> values;
};

}  // namespace lockstep::wandb
