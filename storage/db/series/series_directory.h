// SeriesDirectory: maps series keys to the series of the store, over all shards. A write uses it to
// find known series without looking at their labels.
//
// An open-addressed table with linear probing: 24 bytes per entry; a lookup usually touches one
// cache line. Safe from any thread; a bulk lookup takes the lock once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "model/series_key.h"
#include "storage/write.h"

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
  // Sets refs[i] to the series of keys[i], or to a ref that is not known(). Precondition: both have
  // the same size.
  void FindAll(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const;

  // An entry replaces one with the same key.
  void Add(std::span<const Entry> entries);
  // Ignores keys that are not there.
  void Remove(std::span<const SeriesKey> keys);

  size_t size() const;

 private:
  size_t HomeOf(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  // The place of the key, or the free place where it would be. Precondition: the table is not
  // empty.
  size_t PlaceOf(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  SeriesRef Get(const SeriesKey& key) const LOCKSTEP_REQUIRES_SHARED(mutex_);
  void MakeRoom(size_t more) LOCKSTEP_REQUIRES(mutex_);
  void Erase(size_t place) LOCKSTEP_REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  std::vector<Entry> entries_ LOCKSTEP_GUARDED_BY(mutex_);  // the ref of a free one is not known()
  size_t used_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

}  // namespace lockstep
