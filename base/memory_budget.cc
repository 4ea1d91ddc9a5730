#include "base/memory_budget.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

struct AccountTerms {
  std::string_view name;
  uint64_t divisor;  // of the limit: the account's share
};

constexpr std::array<AccountTerms, kMemoryAccountCount> kAccounts = {{
    {"decoding", 2},
    {"queries", 2},
    {"regex", 8},
    {"forms", 16},
    {"streams", 8},
    {"exemplars", 16},
    {"metadata", 16},
}};

constexpr uint64_t kReserveDivisor = 16;
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
      "the memory for %s is in use, of which the limit is %.1f MiB (--memory-limit); try again "
      "later",
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
  return MaxBytesOf(account) / 4 * 3;
}

absl::Status MemoryBudget::Take(MemoryAccount account, uint64_t bytes, uint64_t held_bytes) {
  Held& held = accounts_[static_cast<size_t>(account)];
  const uint64_t account_bytes = MaxBytesOf(account);
  const uint64_t holder_bytes = MaxBytesOfOne(account);
  if (bytes > holder_bytes || held_bytes > holder_bytes - bytes) {
    held.refusals.fetch_add(1, std::memory_order_relaxed);
    return TooLarge(account, std::min(bytes, kNoLimit) + held_bytes, holder_bytes);
  }
  const uint64_t reserve_divisor = held_bytes + bytes > kSmallBytes ? kReserveDivisor : 0;
  const auto open_to_caller = [reserve_divisor](uint64_t whole) {
    return reserve_divisor == 0 ? whole : whole - whole / reserve_divisor;
  };
  const uint64_t account_before = held.bytes.fetch_add(bytes, std::memory_order_relaxed);
  const uint64_t all_before = held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  const bool has_room = account_before + bytes <= open_to_caller(account_bytes) &&
                        all_before + bytes <= open_to_caller(max_bytes());
  if (has_room) return absl::OkStatus();
  GiveBack(account, bytes);
  held.refusals.fetch_add(1, std::memory_order_relaxed);
  return NoRoom(account, account_bytes);
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
