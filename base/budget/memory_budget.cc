#include "base/budget/memory_budget.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr uint64_t kReserveDivisor = 16;

struct AccountTerms {
  std::string_view name;
  uint64_t divisor;                            // the account's share is the limit divided by this
  uint64_t reserve_divisor = kReserveDivisor;  // large requests leave the whole divided by this
  bool has_one_holder = false;                 // it may have all of it, and is never small
};

constexpr std::array<AccountTerms, kMemoryAccountCount> kAccounts = {{
    {"decoding", 2},
    {"queries", 2, 8},
    {"regex", 8},
    {"forms", 16},
    {"streams", 8},
    {"exemplars", 16},
    {"metadata", 16},
    {"scrapes", 4},
    {"series", 2, kReserveDivisor, true},
    {"caches", 8, 4, true},
}};

constexpr uint64_t kChunkBytes = 16 << 10;

const AccountTerms& TermsOf(MemoryAccount account) {
  return kAccounts[static_cast<size_t>(account)];
}

double MebibytesOf(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

absl::Status TooLarge(MemoryAccount account, uint64_t wanted_bytes, uint64_t max_bytes) {
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the request needs at least %.1f MiB of memory for %s, more than the limit of %.1f MiB "
      "(--memory-limit)",
      MebibytesOf(wanted_bytes), TermsOf(account).name, MebibytesOf(max_bytes)));
}

absl::Status NoRoom(MemoryAccount account, uint64_t max_bytes) {
  return absl::UnavailableError(absl::StrFormat(
      "the memory for %s is used up (the limit is %.1f MiB, --memory-limit); try again later",
      TermsOf(account).name, MebibytesOf(max_bytes)));
}

}  // namespace

std::string_view Name(MemoryAccount account) { return TermsOf(account).name; }

MemoryBudget& MemoryBudget::OfProcess() {
  static MemoryBudget& budget = *new MemoryBudget();
  return budget;
}

uint64_t MemoryBudget::MaxBytesOf(MemoryAccount account) const {
  return max_bytes() / TermsOf(account).divisor;
}

uint64_t MemoryBudget::MaxBytesOfOne(MemoryAccount account) const {
  const uint64_t max_bytes = MaxBytesOf(account);
  return TermsOf(account).has_one_holder ? max_bytes : max_bytes / 4 * 3;
}

absl::Status MemoryBudget::Take(MemoryAccount account, uint64_t bytes, uint64_t held_bytes) {
  Held& held = accounts_[static_cast<size_t>(account)];
  const uint64_t account_bytes = MaxBytesOf(account);
  const uint64_t holder_bytes = MaxBytesOfOne(account);
  if (bytes > holder_bytes || held_bytes > holder_bytes - bytes) {
    held.refusals.fetch_add(1, std::memory_order_relaxed);
    return TooLarge(account, std::min(bytes, kNoLimit) + held_bytes, holder_bytes);
  }
  const bool is_small = held_bytes + bytes <= kSmallBytes && !TermsOf(account).has_one_holder;
  Room room = TryTake(account, bytes, is_small);
  if (room == Room::kWholeIsFull) {
    MakeRoom(bytes);
    room = TryTake(account, bytes, is_small);
  }
  if (room == Room::kTaken) return absl::OkStatus();
  held.refusals.fetch_add(1, std::memory_order_relaxed);
  return NoRoom(account, account_bytes);
}

MemoryBudget::Room MemoryBudget::TryTake(MemoryAccount account, uint64_t bytes, bool is_small) {
  const auto open_to_caller = [is_small](uint64_t bytes_in_all, uint64_t reserve_divisor) {
    return is_small ? bytes_in_all : bytes_in_all - bytes_in_all / reserve_divisor;
  };
  const AccountTerms& terms = TermsOf(account);
  // The only holder of an account need not leave a reserve in it.
  const uint64_t open_of_account = terms.has_one_holder
                                       ? MaxBytesOf(account)
                                       : open_to_caller(MaxBytesOf(account), kReserveDivisor);
  const uint64_t open_of_whole = open_to_caller(max_bytes(), terms.reserve_divisor);
  Held& held = accounts_[static_cast<size_t>(account)];
  const uint64_t account_before = held.bytes.fetch_add(bytes, std::memory_order_relaxed);
  const uint64_t all_before = held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  Room room = Room::kTaken;
  if (account_before + bytes > open_of_account) {
    room = Room::kAccountIsFull;
  } else if (all_before + bytes > open_of_whole) {
    room = Room::kWholeIsFull;
  }
  if (room != Room::kTaken) GiveBack(account, bytes);
  return room;
}

// Frees one large piece for all requests that are refused while the caches give way: each of them
// waits for the lock and finds what the first one left.
void MemoryBudget::MakeRoom(uint64_t bytes) {
  constexpr uint64_t kLeastBytes = 4 << 20;
  const MutexLock lock(mutex_);
  for (const auto& [number, give_way] : caches_) give_way(std::max(bytes, kLeastBytes));
}

bool MemoryBudget::TakeSpare(MemoryAccount account, uint64_t bytes) {
  return bytes <= MaxBytesOf(account) && TryTake(account, bytes, false) == Room::kTaken;
}

void MemoryBudget::Add(MemoryAccount account, uint64_t bytes) {
  accounts_[static_cast<size_t>(account)].bytes.fetch_add(bytes, std::memory_order_relaxed);
  held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

uint64_t MemoryBudget::AddCache(GiveWay give_way) {
  const MutexLock lock(mutex_);
  caches_.emplace(next_cache_, std::move(give_way));
  return next_cache_++;
}

void MemoryBudget::RemoveCache(uint64_t number) {
  const MutexLock lock(mutex_);
  caches_.erase(number);
}

void MemoryBudget::GiveBack(MemoryAccount account, uint64_t bytes) {
  accounts_[static_cast<size_t>(account)].bytes.fetch_sub(bytes, std::memory_order_relaxed);
  held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

MemoryBudgetStats MemoryBudget::stats() const {
  MemoryBudgetStats stats;
  stats.max_bytes = max_bytes();
  stats.held_bytes = held_bytes_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kMemoryAccountCount; ++i) {
    stats.accounts[i] = {accounts_[i].bytes.load(std::memory_order_relaxed),
                         MaxBytesOf(static_cast<MemoryAccount>(i)),
                         accounts_[i].refusals.load(std::memory_order_relaxed)};
  }
  return stats;
}

absl::Status MemoryCharge::AddChunks(uint64_t bytes) {
  if (budget_ == nullptr) return absl::OkStatus();
  const uint64_t missing = bytes - (taken_ - used_);
  const uint64_t chunks = missing / kChunkBytes + (missing % kChunkBytes != 0 ? 1 : 0);
  LOCKSTEP_RETURN_IF_ERROR(budget_->Take(account_, chunks * kChunkBytes, taken_));
  taken_ += chunks * kChunkBytes;
  used_ += bytes;
  return absl::OkStatus();
}

absl::Status MemoryCharge::Resize(uint64_t bytes) {
  if (bytes > used_) return Add(bytes - used_);
  used_ = bytes;
  const uint64_t spare = (taken_ - used_) / kChunkBytes * kChunkBytes;
  if (spare > 0) {
    budget_->GiveBack(account_, spare);
    taken_ -= spare;
  }
  return absl::OkStatus();
}

void MemoryCharge::Reset() {
  if (taken_ > 0) budget_->GiveBack(account_, taken_);
  taken_ = used_ = 0;
}

}  // namespace lockstep
