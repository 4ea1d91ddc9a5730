#include "ingest/logs/record/attempt_tracker.h"

#include <algorithm>

#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/record/state_coding.h"

namespace lockstep::logs {

void AttemptTracker::Restart(int32_t rank) {
  if (rank == kAllRanks) {
    ++restart_count_;
  } else {
    Find(rank).is_restarting = true;
  }
}

StepPlace AttemptTracker::Place(int32_t rank, int64_t step, RepeatedStep repeated) {
  Rank& state = Find(rank);
  const bool is_restarting = state.is_restarting || state.restart_count != restart_count_;
  state.is_restarting = false;
  state.restart_count = restart_count_;
  const bool is_same = state.has_step && step == state.last_step;
  const bool goes_back = state.has_step && step < state.last_step;
  const bool is_new_attempt = goes_back || (is_restarting && state.has_step) ||
                              (is_same && repeated == RepeatedStep::kNewAttempt);
  if (is_new_attempt) BeginAttempt(state);
  state.has_step = true;
  state.last_step = step;
  return {state.attempt, is_same && !is_new_attempt, step <= state.highest_step};
}

uint32_t AttemptTracker::attempt(int32_t rank) const {
  if (last_ != nullptr && last_rank_ == rank) return last_->attempt;
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? first_attempt_ : found->second.attempt;
}

AttemptTracker::Rank& AttemptTracker::Find(int32_t rank) {
  if (last_ != nullptr && last_rank_ == rank) return *last_;
  // Ranks over the limit share the state of the unknown rank.
  if (ranks_.size() >= kMaxRanksPerStream && !ranks_.contains(rank)) rank = -1;
  const auto [found, is_new] = ranks_.try_emplace(rank);
  if (is_new) found->second.attempt = first_attempt_;
  last_ = &found->second;
  last_rank_ = rank;
  return *last_;
}

void AttemptTracker::BeginAttempt(Rank& rank) const {
  rank.highest_step = std::max(rank.highest_step, rank.last_step);
  if (rank.attempt < first_attempt_ + kMaxAttempts) ++rank.attempt;
}

void AttemptTracker::AppendState(std::string& out) const {
  PutVarint64(out, restart_count_);
  PutVarint64(out, ranks_.size());
  for (const auto& [number, rank] : ranks_) {
    PutVarintSigned64(out, number);
    PutVarintSigned64(out, rank.last_step);
    PutVarintSigned64(out, rank.highest_step);
    PutVarint64(out, rank.attempt);
    PutVarint64(out, rank.restart_count);
    PutVarint64(out, rank.has_step ? 1 : 0);
    PutVarint64(out, rank.is_restarting ? 1 : 0);
  }
}

bool AttemptTracker::LoadState(std::string_view& in) {
  uint64_t count = 0;
  if (!GetVarint64(in, restart_count_) || !GetBelow(in, kMaxRanksPerStream + 2, count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    int64_t number = 0;
    Rank rank;
    if (!GetVarintSigned64(in, number) || !GetVarintSigned64(in, rank.last_step) ||
        !GetVarintSigned64(in, rank.highest_step) ||
        !GetBelow(in, uint64_t{first_attempt_} + kMaxAttempts + 1, rank.attempt) ||
        !GetVarint64(in, rank.restart_count) || !GetFlag(in, rank.has_step) ||
        !GetFlag(in, rank.is_restarting)) {
      return false;
    }
    ranks_[static_cast<int32_t>(number)] = rank;
  }
  return true;
}

}  // namespace lockstep::logs
