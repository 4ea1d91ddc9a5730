// FairPool: a bounded amount of something that clients share, so that none of them can take all of it.
//
// What a client has after taking some may be no more than what was free before. One client alone gets
// half, two get a third each, and so on: some is always left for whoever comes next, and when little is left
// it is those who have most that are refused. A client is counted by its address and by its credential, and
// each of the two has to be within its share. Claims that are small go up to three times what is free, so
// that small requests go on while large ones of the same client are refused. Safe from any thread.
#pragma once

#include <cstdint>
#include <utility>

#include "base/client_id.h"
#include "base/mutex.h"
#include "base/string_map.h"

namespace lockstep {

enum class PoolAnswer : uint8_t {
  kTaken,
  kFull,       // not that much is free
  kOverShare,  // the client would have more than its share
};

class FairPool {
 public:
  // What one client has taken, given back when it goes. Movable; one without a pool takes nothing. Must not
  // outlive its pool. Not thread-safe.
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

    // Anything but kTaken changes nothing.
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

  // Of what was taken beyond it nothing is taken away.
  void SetCapacity(uint64_t capacity);
  // What a claim that has nothing yet would be answered.
  PoolAnswer AnswerFor(const ClientId& client, uint64_t amount) const;
  uint64_t taken() const;
  // By its address and by its credential, together: whose turn is next goes by it.
  uint64_t LoadOf(const ClientId& client) const;
  // Less than half of what clients have on average, by its address and by its credential. A client
  // that has neither is none.
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
  // Of clients that have some; without "".
  Amounts by_network_ LOCKSTEP_GUARDED_BY(mutex_);
  Amounts by_user_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
