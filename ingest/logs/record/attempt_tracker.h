// Determines which attempt of a run a step belongs to. For one thread.
//
// A job that crashes and restarts from a checkpoint repeats some steps; both versions are kept,
// with different attempt numbers. A new attempt begins for a rank when its step number decreases,
// or at its first step after a line that only a start prints, if it has made steps before.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace lockstep::logs {

// The meaning of a rank's repeated step number without a sign of a restart.
enum class RepeatedStep : uint8_t { kContinues, kNewAttempt };

// A record's position in its run.
struct StepPlace {
  uint32_t attempt;
  bool is_continuation;  // same step as the record before
  bool is_repeated;      // an earlier attempt reached this step
};

class AttemptTracker {
 public:
  // `first_attempt` is the number given by the launcher.
  explicit AttemptTracker(uint32_t first_attempt) : first_attempt_(first_attempt) {}

  // Records a line that training starts: for `rank`, or for all ranks (kAllRanks).
  static constexpr int32_t kAllRanks = -2;
  void Restart(int32_t rank);

  // The position of a step of `rank` (-1: unknown). Steps may be counted in samples too.
  StepPlace Place(int32_t rank, int64_t step, RepeatedStep repeated);
  // The rank's current attempt, for records without a step.
  uint32_t attempt(int32_t rank) const;

  // Appends the ranks' state, to be loaded by a new tracker (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  struct Rank {
    int64_t last_step = 0;
    int64_t highest_step = std::numeric_limits<int64_t>::min();  // of earlier attempts
    uint32_t attempt = 0;
    uint64_t restart_count = 0;  // the part of restart_count_ that this rank has seen
    bool has_step = false;
    bool is_restarting = false;
  };
  Rank& Find(int32_t rank);
  void BeginAttempt(Rank& rank) const;

  uint32_t first_attempt_;
  uint64_t restart_count_ = 0;
  absl::flat_hash_map<int32_t, Rank> ranks_;
  // The last rank found: most streams have only one.
  Rank* last_ = nullptr;
  int32_t last_rank_ = 0;
};

}  // namespace lockstep::logs
