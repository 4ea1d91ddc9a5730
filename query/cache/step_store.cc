#include "query/cache/step_store.h"

#include <utility>

namespace lockstep::cache {
namespace {

// Approximate overhead of tables and allocations in addition to the data.
constexpr size_t kEntryBytes = 512;
constexpr size_t kSeriesBytes = sizeof(engine::MatrixSeries) + 64;

size_t BytesOf(const StepKey& key, const KeptSteps& steps) {
  size_t bytes = kEntryBytes + 2 * key.text.size();
  for (const engine::MatrixSeries& series : steps.value) {
    bytes += kSeriesBytes + series.labels.bytes().size() +
             series.samples.values.size() * (sizeof(int64_t) + sizeof(double));
    for (const HistogramSample& sample : series.samples.histograms) {
      bytes += sizeof(HistogramSample) + sample.histogram->byte_count();
    }
  }
  return bytes;
}

}  // namespace

StepStore::StepStore(size_t max_bytes, MemoryBudget& memory)
    : max_bytes_(max_bytes),
      memory_(memory),
      cache_number_(memory.AddCache([this](uint64_t bytes) { GiveWay(bytes); })) {}

StepStore::~StepStore() {
  memory_.RemoveCache(cache_number_);
  GiveWay(max_bytes_);
}

void StepStore::GiveWay(uint64_t bytes) {
  MutexLock lock(mutex_);
  const size_t before = byte_count_;
  while (!entries_.empty() && before - byte_count_ < bytes) RemoveOldest();
}

std::shared_ptr<const KeptSteps> StepStore::Find(const StepKey& key) {
  MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->steps;
}

void StepStore::Remove(Entries::iterator entry) {
  byte_count_ -= entry->byte_count;
  memory_.GiveBack(MemoryAccount::kCaches, entry->byte_count);
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

void StepStore::Put(const StepKey& key, KeptSteps steps) {
  const size_t byte_count = BytesOf(key, steps);
  const bool is_kept = byte_count <= max_bytes_ / 8;
  auto shared = is_kept ? std::make_shared<const KeptSteps>(std::move(steps)) : nullptr;
  MutexLock lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) Remove(found->second);
  if (!is_kept) return;
  while (byte_count_ + byte_count > max_bytes_) RemoveOldest();
  while (!memory_.TakeSpare(MemoryAccount::kCaches, byte_count)) {
    if (entries_.empty()) return;
    RemoveOldest();
  }
  entries_.push_front({key, std::move(shared), byte_count});
  by_key_.emplace(key, entries_.begin());
  byte_count_ += byte_count;
}

StepStoreStats StepStore::stats() const {
  MutexLock lock(mutex_);
  return {entries_.size(), byte_count_};
}

}  // namespace lockstep::cache
