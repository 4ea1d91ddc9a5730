#include "storage/db/series/series_limit.h"

#include <utility>

#include "model/tenant.h"
#include "storage/db/series/group_name.h"

namespace lockstep {
namespace {

constexpr uint64_t kChunkBytes = 256 << 10;

uint64_t ChunksFor(uint64_t bytes) { return (bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes; }

}  // namespace

SeriesLimit::~SeriesLimit() { memory_.GiveBack(MemoryAccount::kSeries, taken_bytes_); }

void SeriesLimit::SetLimits(SeriesLimits limits) {
  const MutexLock lock(mutex_);
  limits_ = std::move(limits);
  for (auto& [tenant, counted] : by_tenant_) counted.max_series = LimitOf(tenant);
}

uint64_t SeriesLimit::MaxSeriesOf(std::string_view tenant) const {
  const MutexLock lock(mutex_);
  return LimitOf(tenant);
}

uint64_t SeriesLimit::LimitOf(std::string_view tenant) const {
  for (const TenantSeriesLimit& limit : limits_.by_tenant) {
    if (!limit.tenant.has_value() || limit.tenant->Matches(IdOfTenant(tenant))) {
      return limit.max_series;
    }
  }
  return 0;
}

SeriesLimit::TenantCount& SeriesLimit::CountOf(std::string_view job) {
  const std::string_view tenant = PartsOfGroupName(job).tenant;
  const auto [at, is_new] = by_tenant_.try_emplace(tenant);
  if (is_new) at->second.max_series = LimitOf(tenant);
  return at->second;
}

SeriesLimits SeriesLimit::limits() const {
  const MutexLock lock(mutex_);
  return limits_;
}

SeriesLimit::Answer SeriesLimit::Take(std::string_view job, uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (limits_.max_series > 0 && count_ >= limits_.max_series) return Answer::kStoreIsFull;
  TenantCount& of_tenant = CountOf(job);
  if (of_tenant.max_series > 0 && of_tenant.count >= of_tenant.max_series) {
    return Answer::kTenantIsFull;
  }
  const auto of_job = by_job_.find(job);
  const uint64_t job_count = of_job == by_job_.end() ? 0 : of_job->second;
  if (limits_.max_series_per_job > 0 && job_count >= limits_.max_series_per_job) {
    return Answer::kJobIsFull;
  }
  const uint64_t needed_bytes = ChunksFor(bytes_ + bytes);
  if (needed_bytes > taken_bytes_) {
    const uint64_t more = needed_bytes - taken_bytes_;
    if (!memory_.Take(MemoryAccount::kSeries, more, 0).ok()) return Answer::kNoMemory;
    taken_bytes_ = needed_bytes;
  }
  bytes_ += bytes;
  ++count_;
  ++of_tenant.count;
  if (of_job == by_job_.end()) {
    by_job_.emplace(job, 1);
  } else {
    ++of_job->second;
  }
  return Answer::kTaken;
}

void SeriesLimit::Add(std::string_view job, uint64_t count) {
  if (count == 0) return;
  const MutexLock lock(mutex_);
  count_ += count;
  CountOf(job).count += count;
  by_job_[job] += count;
}

void SeriesLimit::GiveBack(std::string_view job, uint64_t count) {
  const MutexLock lock(mutex_);
  count_ -= count;
  CountOf(job).count -= count;
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return;
  found->second -= count;
  if (found->second == 0) by_job_.erase(found);
}

void SeriesLimit::ReplaceBytes(uint64_t bytes_before, uint64_t bytes) {
  const MutexLock lock(mutex_);
  bytes_ = bytes_ - bytes_before + bytes;
  HoldMemory();
}

// Series that are already known are no longer refused.
void SeriesLimit::HoldMemory() {
  const uint64_t needed_bytes = ChunksFor(bytes_);
  if (needed_bytes > taken_bytes_) {
    memory_.Add(MemoryAccount::kSeries, needed_bytes - taken_bytes_);
  } else {
    memory_.GiveBack(MemoryAccount::kSeries, taken_bytes_ - needed_bytes);
  }
  taken_bytes_ = needed_bytes;
}

uint64_t SeriesLimit::count() const {
  const MutexLock lock(mutex_);
  return count_;
}

}  // namespace lockstep
