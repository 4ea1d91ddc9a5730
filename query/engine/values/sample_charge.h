// SampleCharge: samples and texts charged to a QueryBudget, released when their memory is freed.
#pragma once

#include <cstdint>
#include <utility>

#include "base/budget/query_budget.h"
#include "base/status.h"

namespace lockstep::engine {

// Movable; a moved-from charge is empty. Must not outlive the budget.
class SampleCharge {
 public:
  SampleCharge() = default;
  explicit SampleCharge(QueryBudget& budget) : budget_(&budget) {}
  SampleCharge(SampleCharge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)),
        held_(std::exchange(other.held_, 0)),
        held_text_bytes_(std::exchange(other.held_text_bytes_, 0)) {}
  SampleCharge& operator=(SampleCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(held_, other.held_);
    std::swap(held_text_bytes_, other.held_text_bytes_);
    return *this;
  }
  ~SampleCharge() { Reset(); }

  // Precondition: made with a budget.
  absl::Status Add(int64_t samples) {
    absl::Status status = budget_->Charge(samples);
    if (status.ok()) held_ += samples;
    return status;
  }
  // Precondition: made with a budget.
  absl::Status AddText(size_t bytes) {
    absl::Status status = budget_->ChargeText(static_cast<int64_t>(bytes));
    if (status.ok()) held_text_bytes_ += static_cast<int64_t>(bytes);
    return status;
  }
  // Precondition: at most what was added.
  void GiveBack(int64_t samples) {
    budget_->Release(samples);
    held_ -= samples;
  }
  // Charges the same amount again, to the same budget.
  absl::StatusOr<SampleCharge> Again() const {
    if (budget_ == nullptr) return SampleCharge();
    SampleCharge again(*budget_);
    LOCKSTEP_RETURN_IF_ERROR(again.Add(held_));
    LOCKSTEP_RETURN_IF_ERROR(again.AddText(static_cast<size_t>(held_text_bytes_)));
    return again;
  }
  // Takes over the charge of `other`, which must use the same budget.
  void Absorb(SampleCharge&& other) {
    held_ += std::exchange(other.held_, 0);
    held_text_bytes_ += std::exchange(other.held_text_bytes_, 0);
  }
  void Reset() {
    if (held_ != 0) GiveBack(held_);
    if (held_text_bytes_ != 0) budget_->ReleaseText(std::exchange(held_text_bytes_, 0));
  }

 private:
  QueryBudget* budget_ = nullptr;
  int64_t held_ = 0;
  int64_t held_text_bytes_ = 0;
};

}  // namespace lockstep::engine
