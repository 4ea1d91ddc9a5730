// BodyBudget: the bytes of request bodies that all connections together may hold, shared fairly by clients
// (base/fair_pool.h). They count as memory for decoding, too (base/memory_budget.h).
//
// Safe from any thread. A Lease gives back what it took when it ends, and must not outlive its
// budget.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/client_id.h"
#include "base/fair_pool.h"
#include "base/memory_budget.h"

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

    // False, and nothing taken, if the budget has not that much left for the client.
    [[nodiscard]] bool Grow(uint64_t bytes) {
      if (absl::Status added = memory_.Add(bytes); !added.ok()) return Refuse(Message(added));
      const PoolAnswer answer = claim_.Grow(bytes);
      if (answer == PoolAnswer::kTaken) return true;
      memory_.Resize(memory_.bytes() - bytes).IgnoreError();
      return Refuse(absl::StrFormat(
          "The bodies of %s hold as much as they may of the %d bytes for all; try again later.",
          answer == PoolAnswer::kFull ? "all requests" : "this client's requests", max_bytes_));
    }
    // Why Grow() was refused last.
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
