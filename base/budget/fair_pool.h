// FairPool: a bounded resource that clients share, so that none of them can take all of it.
//
// After taking some, a client may hold no more than what was free before. So a single client gets
// half, two get a third each, and so on: something is always left for the next client, and when
// little is left, the clients that hold the most are refused. A client is counted both by its
// address and by its credential, and must be within its share for each. Small claims may reach
// three times what is free, so that small requests succeed while large ones of the same client are
// refused. Safe from any thread.
#pragma once

#include <cstdint>
#include <utility>

#include "base/budget/client_id.h"
#include "base/mutex.h"
#include "base/string_map.h"

namespace lockstep {

enum class PoolAnswer : uint8_t {
  kTaken,
  kFull,       // not enough is free
  kOverShare,  // the client would exceed its share
};

class FairPool {
 public:
  // What one client has taken; it is given back on destruction. Movable; a claim without a pool
  // takes nothing. Must not outlive its pool. Not thread-safe.
  class Claim {
   public:
    Claim() = default;
    Claim(FairPool& pool, ClientId client) : pool_(&pool), client_(std::move(client)) {}
    Claim(Claim&& other) noexcept { Swap(other); }
    Claim& operator=(Claim&& other) noexcept {
      Claim(std::move(other)).Swap(*this);
      return *this;
    }
    ~Claim() {
      if (amount_ > 0) pool_->GiveBack(client_, amount_);
    }

    // Any answer except kTaken changes nothing.
    [[nodiscard]] PoolAnswer Grow(uint64_t amount);
    uint64_t amount() const { return amount_; }

   private:
    void Swap(Claim& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(client_, other.client_);
      std::swap(amount_, other.amount_);
    }

    FairPool* pool_ = nullptr;
    ClientId client_;
    uint64_t amount_ = 0;
  };

  // Claims of up to `small_amount` are small.
  explicit FairPool(uint64_t capacity, uint64_t small_amount = 0)
      : small_amount_(small_amount), capacity_(capacity) {}

  // Clients keep what they have taken beyond a smaller capacity.
  void SetCapacity(uint64_t capacity);
  // The answer to a new claim that holds nothing yet.
  PoolAnswer AnswerFor(const ClientId& client, uint64_t amount) const;
  uint64_t taken() const;
  // The amounts of its address and its credential together, which decide whose turn is next.
  uint64_t LoadOf(const ClientId& client) const;
  // Whether the client holds less than half of the average of clients, by its address and by its
  // credential. A client without either does not.
  bool HasLittle(const ClientId& client) const;

 private:
  using Amounts = StringMap<uint64_t>;

  PoolAnswer AnswerTo(const ClientId& client, uint64_t amount, uint64_t claimed) const
      LOCKSTEP_REQUIRES(mutex_);
  PoolAnswer Take(const ClientId& client, uint64_t amount, uint64_t claimed);
  void GiveBack(const ClientId& client, uint64_t amount);

  const uint64_t small_amount_;
  mutable Mutex mutex_;
  uint64_t capacity_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t taken_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  // Only clients that hold something, and never "".
  Amounts by_network_ LOCKSTEP_GUARDED_BY(mutex_);
  Amounts by_user_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
