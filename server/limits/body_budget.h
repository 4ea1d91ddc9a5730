// BodyBudget: the memory that request bodies of all connections together may use, shared fairly
// among clients (FairPool). It also counts as decoding memory (base/budget/memory_budget.h).
//
// Safe from any thread. A Lease returns its bytes when it is destroyed, and must not outlive its
// budget.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/budget/client_id.h"
#include "base/budget/fair_pool.h"
#include "base/budget/memory_budget.h"

namespace lockstep::server {

class BodyBudget {
 public:
  class Lease {
   public:
    Lease() = default;
    explicit Lease(BodyBudget& budget, ClientId client = {})
        : max_bytes_(budget.max_bytes_),
          claim_(budget.pool_, std::move(client)),
          memory_(MemoryAccount::kDecoding) {}

    // Returns false and takes nothing if the budget has too little left for the client.
    [[nodiscard]] bool Grow(uint64_t bytes) {
      if (absl::Status added = memory_.Add(bytes); !added.ok()) return Refuse(Message(added));
      const PoolAnswer answer = claim_.Grow(bytes);
      if (answer == PoolAnswer::kTaken) return true;
      memory_.Resize(memory_.bytes() - bytes).IgnoreError();
      return Refuse(absl::StrFormat(
          "The bodies of %s have reached their share of the limit of %d bytes; try again later.",
          answer == PoolAnswer::kFull ? "all requests" : "this client's requests", max_bytes_));
    }
    // The reason for the last failure of Grow().
    const std::string& why_not() const { return why_not_; }

   private:
    bool Refuse(std::string_view why_not) {
      why_not_ = why_not;
      return false;
    }

    uint64_t max_bytes_ = 0;
    FairPool::Claim claim_;
    MemoryCharge memory_;
    std::string why_not_;
  };

  explicit BodyBudget(uint64_t max_bytes)
      : max_bytes_(max_bytes), pool_(max_bytes, MemoryBudget::kSmallBytes) {}

  uint64_t held_bytes() const { return pool_.taken(); }

 private:
  const uint64_t max_bytes_;
  FairPool pool_;
};

}  // namespace lockstep::server
