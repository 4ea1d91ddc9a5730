// What W&B's transaction log holds of a run. Plain data; views live until the reader's next call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wandb {

// Who the run is. Texts are those of the user, cut to kMaxTextBytes.
struct WandbRun {
  std::string id;
  std::string entity;
  std::string project;
  std::string group;     // "": none
  std::string job_type;  // "": none
  std::string name;      // as the page shows it; "" for an offline run that was given none
  std::optional<int64_t> start_ms;
  std::optional<int64_t> rank;  // what its config says: rank, global_rank, RANK
};

// A number that was logged, by the names that lead to it, joined by '.'.
struct WandbValue {
  std::string name;
  double value = 0;
};

// One run.log(), or one look at the machine.
struct WandbRow {
  enum class Kind : uint8_t { kHistory, kSystem };
  Kind kind = Kind::kHistory;
  std::optional<int64_t> step;
  std::optional<int64_t> time_ms;
  std::vector<WandbValue> values;
};

}  // namespace lockstep::wandb
