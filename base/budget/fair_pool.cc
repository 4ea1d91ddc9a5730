#include "base/budget/fair_pool.h"

#include <algorithm>

namespace lockstep {
namespace {

// How many units a client may have for each unit that is free.
constexpr uint64_t kShareOfLarge = 1;
constexpr uint64_t kShareOfSmall = 3;

using Amounts = StringMap<uint64_t>;

uint64_t AmountOf(const Amounts& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

void Add(Amounts& amounts, const std::string& name, uint64_t amount) {
  if (!name.empty()) amounts[name] += amount;
}

void Subtract(Amounts& amounts, const std::string& name, uint64_t amount) {
  const auto found = amounts.find(name);
  if (found == amounts.end()) return;
  found->second -= amount;
  if (found->second == 0) amounts.erase(found);
}

}  // namespace

PoolAnswer FairPool::Claim::Grow(uint64_t amount) {
  if (pool_ == nullptr) return PoolAnswer::kTaken;
  const PoolAnswer answer = pool_->Take(client_, amount, amount_);
  if (answer == PoolAnswer::kTaken) amount_ += amount;
  return answer;
}

PoolAnswer FairPool::AnswerTo(const ClientId& client, uint64_t amount, uint64_t claimed) const {
  const uint64_t free = capacity_ - std::min(capacity_, taken_);
  if (amount > free) return PoolAnswer::kFull;
  const bool is_small = claimed + amount <= small_amount_;
  const uint64_t max_amount = free * (is_small ? kShareOfSmall : kShareOfLarge);
  const auto is_over = [&](const Amounts& amounts, const std::string& name) {
    return !name.empty() && AmountOf(amounts, name) + amount > max_amount;
  };
  const bool is_over_share = is_over(by_network_, client.network) || is_over(by_user_, client.user);
  return is_over_share ? PoolAnswer::kOverShare : PoolAnswer::kTaken;
}

void FairPool::SetCapacity(uint64_t capacity) {
  const MutexLock lock(mutex_);
  capacity_ = capacity;
}

PoolAnswer FairPool::AnswerFor(const ClientId& client, uint64_t amount) const {
  const MutexLock lock(mutex_);
  return AnswerTo(client, amount, 0);
}

PoolAnswer FairPool::Take(const ClientId& client, uint64_t amount, uint64_t claimed) {
  const MutexLock lock(mutex_);
  const PoolAnswer answer = AnswerTo(client, amount, claimed);
  if (answer != PoolAnswer::kTaken || amount == 0) return answer;
  taken_ += amount;
  Add(by_network_, client.network, amount);
  Add(by_user_, client.user, amount);
  return answer;
}

void FairPool::GiveBack(const ClientId& client, uint64_t amount) {
  const MutexLock lock(mutex_);
  taken_ -= amount;
  Subtract(by_network_, client.network, amount);
  Subtract(by_user_, client.user, amount);
}

uint64_t FairPool::taken() const {
  const MutexLock lock(mutex_);
  return taken_;
}

bool FairPool::HasLittle(const ClientId& client) const {
  if (client.network.empty() && client.user.empty()) return false;
  const MutexLock lock(mutex_);
  const auto has_little = [taken = taken_](const Amounts& amounts, const std::string& name) {
    return name.empty() || 2 * AmountOf(amounts, name) * amounts.size() < taken;
  };
  return has_little(by_network_, client.network) && has_little(by_user_, client.user);
}

uint64_t FairPool::LoadOf(const ClientId& client) const {
  const MutexLock lock(mutex_);
  return AmountOf(by_network_, client.network) + AmountOf(by_user_, client.user);
}

}  // namespace lockstep
