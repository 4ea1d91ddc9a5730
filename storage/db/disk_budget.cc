#include "storage/db/disk_budget.h"

#include <algorithm>
#include <utility>

namespace lockstep {

DiskBudget::DiskBudget(std::shared_ptr<const kv::Env> env, std::string folder, uint64_t max_bytes,
                       uint32_t shard_count)
    : env_(std::move(env)),
      folder_(std::move(folder)),
      max_bytes_(max_bytes),
      shards_(shard_count) {}

absl::StatusOr<int32_t> DiskBudget::FirstKept(uint32_t shard, const Windows& windows) {
  if (max_bytes_ == 0) return kKeepAllWindows;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t used_bytes, env_->FolderBytes(folder_));
  MutexLock lock(mutex_);
  Sizes& sizes = shards_[shard];
  sizes.clear();
  for (const auto& [number, window] : windows) sizes[number] = window.totals().byte_count;
  if (AllHaveDropped()) {
    first_kept_ = used_bytes > max_bytes_ ? FirstWithout(used_bytes - max_bytes_) : kKeepAllWindows;
  }
  return first_kept_;
}

bool DiskBudget::AllHaveDropped() const {
  return std::all_of(shards_.begin(), shards_.end(), [this](const Sizes& sizes) {
    return sizes.empty() || sizes.begin()->first >= first_kept_;
  });
}

int32_t DiskBudget::FirstWithout(uint64_t excess_bytes) const {
  Sizes all;
  for (const Sizes& sizes : shards_) {
    for (const auto& [number, bytes] : sizes) all[number] += bytes;
  }
  if (all.empty()) return kKeepAllWindows;
  const auto newest = std::prev(all.end());
  uint64_t freed_bytes = 0;
  auto first_kept = all.begin();
  for (; first_kept != newest && freed_bytes < excess_bytes; ++first_kept) {
    freed_bytes += first_kept->second;
  }
  return first_kept->first;
}

}  // namespace lockstep
