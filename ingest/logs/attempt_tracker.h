// Which attempt at its run a step belongs to. For one thread.
//
// A job that dies and starts again from a checkpoint does some steps twice; both are kept, told apart by the
// number of the attempt. A new attempt begins for a rank when its step goes back, or at its first step after a
// line that only a start writes, if it has made steps before.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace lockstep::logs {

// What it means if a rank's step comes again without a sign of a restart.
enum class RepeatedStep : uint8_t { kContinues, kNewAttempt };

// Where a record stands in its run.
struct StepPlace {
  uint32_t attempt;
  bool is_continuation;  // the step of the record before
  bool is_repeated;      // an earlier attempt came as far
};

class AttemptTracker {
 public:
  // `first_attempt` is the number that what launched the run gave.
  explicit AttemptTracker(uint32_t first_attempt) : first_attempt_(first_attempt) {}

  // A line that says that training starts: for `rank`, or for all if it is kAllRanks.
  static constexpr int32_t kAllRanks = -2;
  void Restart(int32_t rank);

  // The place of a step of `rank` (-1: not known). Steps may be counted in samples as well.
  StepPlace Place(int32_t rank, int64_t step, RepeatedStep repeated);
  // Of what has no step: the attempt that the rank is in.
  uint32_t attempt(int32_t rank) const;

  // What is known of ranks, for a tracker that has seen nothing (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  struct Rank {
    int64_t last_step = 0;
    int64_t highest_step = std::numeric_limits<int64_t>::min();  // of attempts before
    uint32_t attempt = 0;
    uint64_t restart_count = 0;  // of restart_count_, those that this rank has seen
    bool has_step = false;
    bool is_restarting = false;
  };
  Rank& Find(int32_t rank);
  void BeginAttempt(Rank& rank) const;

  uint32_t first_attempt_;
  uint64_t restart_count_ = 0;
  absl::flat_hash_map<int32_t, Rank> ranks_;
  // The last one found: most streams have one rank.
  Rank* last_ = nullptr;
  int32_t last_rank_ = 0;
};

}  // namespace lockstep::logs
