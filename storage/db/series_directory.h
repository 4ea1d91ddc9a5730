// SeriesDirectory: series key -> the series of the store, over all shards. How a write finds the series
// that it knows without a look at their labels.
//
// An open-addressed table with linear probing: 24 bytes an entry, a lookup is one cache line as a rule.
// Safe from any thread; a lookup of many takes the lock once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "model/series_key.h"
#include "storage/storage.h"

namespace lockstep {

class SeriesDirectory {
 public:
  SeriesDirectory() = default;
  SeriesDirectory(const SeriesDirectory&) = delete;
  SeriesDirectory& operator=(const SeriesDirectory&) = delete;

  struct Entry {
    SeriesKey key;
    SeriesRef ref;
  };

  std::optional<SeriesRef> Find(const SeriesKey& key) const;
  // Sets refs[i] to the series of keys[i], or to one that is not known(). Precondition: as many of each.
  void FindAll(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const;

  // An entry takes the place of one with the same key.
  void Add(std::span<const Entry> entries);
  // Keys that are not there are passed over.
  void Remove(std::span<const SeriesKey> keys);

  size_t size() const;

 private:
  size_t HomeOf(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  // Where the key is, or the free place where it would be. Precondition: the table is not empty.
  size_t PlaceOf(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  SeriesRef Get(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  void MakeRoom(size_t more) LOCKSTEP_REQUIRES(mutex_);
  void Erase(size_t place) LOCKSTEP_REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  std::vector<Entry> entries_ LOCKSTEP_GUARDED_BY(mutex_);  // free ones have no known() ref
  size_t used_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

}  // namespace lockstep
