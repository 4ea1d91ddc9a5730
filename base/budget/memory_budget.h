// MemoryBudget: limits the memory that all clients together may make the process hold, by account.
//
// Code that is about to keep memory whose size a client decides takes it from the budget first, in
// chunks, and gives it back when it frees the memory. Each account may hold a share of the limit,
// and all of them together the limit. The last sixteenth of either is reserved for holders of
// little memory, so that a few large requests do not keep small ones out; large queries leave an
// eighth of the whole. When the whole is short, caches give way first. Safe from any thread.
//
// Errors name the limit and its flag:
//   kResourceExhausted  more than three quarters of the account: the request is too large by itself
//   kUnavailable        there is no room now: try again later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace lockstep {

enum class MemoryAccount : uint8_t {
  kDecoding,   // bodies of requests, and what they decode to
  kQueries,    // samples and texts of running queries and of answers being sent
  kRegex,      // compiled regular expressions
  kForms,      // parameters of requests
  kStreams,    // logs being followed
  kExemplars,  // kept for queries
  kMetadata,   // kept for queries
  kScrapes,    // answers of targets and of discovery, and what is kept between scrapes
  kSeries,     // the store's index of series; one holder has it all
  kCaches,     // cached answers and kept pages; they share it all, and give way to all others
};
inline constexpr size_t kMemoryAccountCount = 10;

// The name in metrics and answers.
std::string_view Name(MemoryAccount account);

struct MemoryAccountStats {
  uint64_t held_bytes = 0;
  uint64_t max_bytes = 0;
  uint64_t refusals = 0;
};

struct MemoryBudgetStats {
  uint64_t max_bytes = 0;
  uint64_t held_bytes = 0;
  std::array<MemoryAccountStats, kMemoryAccountCount> accounts{};  // by MemoryAccount
};

class MemoryBudget {
 public:
  static constexpr uint64_t kNoLimit = std::numeric_limits<int64_t>::max();
  // A holder of at most this much may use the reserve.
  static constexpr uint64_t kSmallBytes = uint64_t{1} << 20;

  explicit MemoryBudget(uint64_t max_bytes = kNoLimit) : max_bytes_(max_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // The process's budget; it has no limit until one is set.
  static MemoryBudget& OfProcess();

  void set_max_bytes(uint64_t max_bytes) { max_bytes_ = max_bytes; }
  uint64_t max_bytes() const { return max_bytes_.load(std::memory_order_relaxed); }
  uint64_t MaxBytesOf(MemoryAccount account) const;
  // How much of it one holder may have.
  uint64_t MaxBytesOfOne(MemoryAccount account) const;

  // `held_bytes`: what the caller already holds of the account.
  absl::Status Take(MemoryAccount account, uint64_t bytes, uint64_t held_bytes);
  // The same, but no cache gives way: for the caches themselves.
  [[nodiscard]] bool TakeSpare(MemoryAccount account, uint64_t bytes);
  // Counts memory that is already there, even beyond a limit.
  void Add(MemoryAccount account, uint64_t bytes);
  void GiveBack(MemoryAccount account, uint64_t bytes);

  // A cache's callback, called from any thread before the whole budget refuses a request: it frees
  // `bytes`, or what the cache has. It must not call Take(). It is not called any more once
  // RemoveCache() has returned.
  using GiveWay = std::function<void(uint64_t bytes)>;
  // Returns the number for RemoveCache().
  uint64_t AddCache(GiveWay give_way);
  void RemoveCache(uint64_t number);

  MemoryBudgetStats stats() const;

 private:
  enum class Room : uint8_t { kTaken, kAccountIsFull, kWholeIsFull };

  Room TryTake(MemoryAccount account, uint64_t bytes, bool is_small);
  void MakeRoom(uint64_t bytes);

  struct Held {
    std::atomic<uint64_t> bytes{0};
    std::atomic<uint64_t> refusals{0};
  };

  std::atomic<uint64_t> max_bytes_;
  std::atomic<uint64_t> held_bytes_{0};
  std::array<Held, kMemoryAccountCount> accounts_{};
  Mutex mutex_;  // held while caches give way
  uint64_t next_cache_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, GiveWay> caches_ LOCKSTEP_GUARDED_BY(mutex_);
};

// MemoryCharge: what one holder has taken of an account; it is given back on destruction. It takes
// memory in chunks, so that a small addition costs just an addition. Movable; a charge that was
// moved from, or was created without an account, counts and takes nothing. Not thread-safe; must
// not outlive its budget.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  explicit MemoryCharge(MemoryAccount account, MemoryBudget& budget = MemoryBudget::OfProcess())
      : budget_(&budget), account_(account) {}
  MemoryCharge(MemoryCharge&& other) noexcept { Swap(other); }
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    MemoryCharge(std::move(other)).Swap(*this);
    return *this;
  }
  ~MemoryCharge() { Reset(); }

  // What is held, without rounding to chunks.
  uint64_t bytes() const { return used_; }
  // If these fail, nothing changes.
  absl::Status Add(uint64_t bytes) {
    if (bytes <= taken_ - used_) {
      used_ += bytes;
      return absl::OkStatus();
    }
    return AddChunks(bytes);
  }
  absl::Status Resize(uint64_t bytes);
  void Reset();

 private:
  absl::Status AddChunks(uint64_t bytes);
  void Swap(MemoryCharge& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(account_, other.account_);
    std::swap(used_, other.used_);
    std::swap(taken_, other.taken_);
  }

  MemoryBudget* budget_ = nullptr;
  MemoryAccount account_ = MemoryAccount::kDecoding;
  uint64_t used_ = 0;
  uint64_t taken_ = 0;  // taken from the budget: whole chunks
};

}  // namespace lockstep
