// SampleCharge: samples taken from a QueryBudget and given back when the memory they stand for goes.
#pragma once

#include <cstdint>
#include <utility>

#include "base/query_budget.h"
#include "base/status.h"

namespace lockstep::engine {

// Movable; what is moved from holds nothing. Must not outlive the budget.
class SampleCharge {
 public:
  SampleCharge() = default;
  explicit SampleCharge(QueryBudget& budget) : budget_(&budget) {}
  SampleCharge(SampleCharge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), held_(std::exchange(other.held_, 0)) {}
  SampleCharge& operator=(SampleCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~SampleCharge() { Reset(); }

  // Precondition: made with a budget.
  absl::Status Add(int64_t samples) {
    absl::Status status = budget_->Charge(samples);
    if (status.ok()) held_ += samples;
    return status;
  }
  // Precondition: no more than what was added.
  void GiveBack(int64_t samples) {
    budget_->Release(samples);
    held_ -= samples;
  }
  // As much once more, from the same budget.
  absl::StatusOr<SampleCharge> Again() const {
    if (budget_ == nullptr) return SampleCharge();
    SampleCharge again(*budget_);
    LOCKSTEP_RETURN_IF_ERROR(again.Add(held_));
    return again;
  }
  // Takes over what `other` holds, of the same budget.
  void Absorb(SampleCharge&& other) { held_ += std::exchange(other.held_, 0); }
  void Reset() {
    if (held_ != 0) GiveBack(held_);
  }

 private:
  QueryBudget* budget_ = nullptr;
  int64_t held_ = 0;
};

}  // namespace lockstep::engine
