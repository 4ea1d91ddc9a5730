#include "base/regex/recent_regexes.h"

#include <utility>

#include "base/budget/memory_budget.h"

namespace lockstep {

RecentRegexes& RecentRegexes::OfProcess() {
  constexpr size_t kMaxCount = 64;
  // Never destroyed: any thread may compile until the process ends.
  static RecentRegexes* const regexes = [] {
    auto* const created = new RecentRegexes(kMaxCount);
    MemoryBudget::OfProcess().AddCache([created](uint64_t) { created->Clear(); });
    return created;
  }();
  return *regexes;
}

RecentRegexes::RegexPtr RecentRegexes::Find(std::string_view key) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->regex.use_count() > 1) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->regex;
}

void RecentRegexes::Add(std::string_view key, RegexPtr regex) {
  Kept oldest;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (by_key_.find(key) != by_key_.end()) return;
  MemoryBudget& memory = MemoryBudget::OfProcess();
  if (!memory.TakeSpare(MemoryAccount::kRegex, kBytesOfEach)) return;
  kept_.push_front({std::string(key), std::move(regex)});
  by_key_.emplace(std::string(key), kept_.begin());
  if (kept_.size() <= max_count_) return;
  oldest = std::move(kept_.back());
  kept_.pop_back();
  by_key_.erase(by_key_.find(oldest.key));
  memory.GiveBack(MemoryAccount::kRegex, kBytesOfEach);
}

bool RecentRegexes::Clear() {
  std::list<Kept> all;  // destroyed without the lock
  const MutexLock lock(mutex_);
  all.swap(kept_);
  by_key_.clear();
  MemoryBudget::OfProcess().GiveBack(MemoryAccount::kRegex, all.size() * kBytesOfEach);
  return !all.empty();
}

}  // namespace lockstep
