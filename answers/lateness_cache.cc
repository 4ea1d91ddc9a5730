#include "answers/lateness_cache.h"

namespace lockstep::answers {
namespace {

uint64_t BytesOf(const training::JobLateness& lateness) {
  constexpr uint64_t kBytesOfEntry = 256;
  uint64_t bytes = kBytesOfEntry + 2 * lateness.job.size();
  for (const training::RankLateness& rank : lateness.ranks) {
    bytes +=
        sizeof(rank) + rank.place.host.size() + rank.place.gpu.size() + rank.place.gpu_uuid.size();
  }
  return bytes;
}

}  // namespace

LatenessCache::LatenessCache(MemoryBudget& memory)
    : memory_(memory), cache_number_(memory.AddCache([this](uint64_t /*bytes*/) { GiveWay(); })) {}

LatenessCache::~LatenessCache() {
  memory_.RemoveCache(cache_number_);
  GiveWay();
}

JobLatenessPtr LatenessCache::Find(const std::string& job, size_t attempt,
                                   int64_t last_step_end_ms) const {
  const MutexLock lock(mutex_);
  const auto found = kept_.find({job, attempt});
  const bool is_current =
      found != kept_.end() && found->second.last_step_end_ms == last_step_end_ms;
  return is_current ? found->second.lateness : nullptr;
}

void LatenessCache::Keep(int64_t last_step_end_ms, JobLatenessPtr lateness) {
  const uint64_t bytes = BytesOf(*lateness);
  if (!memory_.TakeSpare(MemoryAccount::kCaches, bytes)) return;
  const MutexLock lock(mutex_);
  Kept& kept = kept_[{lateness->job, lateness->attempt}];
  memory_.GiveBack(MemoryAccount::kCaches, kept.bytes);
  kept = {last_step_end_ms, std::move(lateness), bytes};
}

void LatenessCache::GiveWay() {
  const MutexLock lock(mutex_);
  for (const auto& [key, kept] : kept_) memory_.GiveBack(MemoryAccount::kCaches, kept.bytes);
  kept_.clear();
}

}  // namespace lockstep::answers
