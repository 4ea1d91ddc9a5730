#include "storage/db/series/series_directory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace lockstep {
namespace {

constexpr size_t kFirstCapacity = 1024;
// How many keys ahead a bulk lookup prefetches.
constexpr size_t kAhead = 12;

// At most 4 of 5 places are taken.
bool HasRoom(size_t used, size_t capacity) { return used * 5 <= capacity * 4; }

}  // namespace

// Keys are uniform, so scaling one word of a key to the table's size gives a place, whatever the
// size.
size_t SeriesDirectory::HomeOf(const SeriesKey& key) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<size_t>(Wide{key.low} * entries_.size() >> 64);
}

size_t SeriesDirectory::PlaceOf(const SeriesKey& key) const {
  size_t place = HomeOf(key);
  while (entries_[place].ref.known() && !(entries_[place].key == key)) {
    if (++place == entries_.size()) place = 0;
  }
  return place;
}

SeriesRef SeriesDirectory::Get(const SeriesKey& key) const {
  return entries_.empty() ? SeriesRef() : entries_[PlaceOf(key)].ref;
}

std::optional<SeriesRef> SeriesDirectory::Find(const SeriesKey& key) const {
  ReaderLock lock(mutex_);
  const SeriesRef ref = Get(key);
  if (!ref.known()) return std::nullopt;
  return ref;
}

void SeriesDirectory::FindAll(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const {
  LOCKSTEP_CHECK(keys.size() == refs.size());
  ReaderLock lock(mutex_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size() && !entries_.empty()) {
      __builtin_prefetch(&entries_[HomeOf(keys[i + kAhead])]);
    }
    refs[i] = Get(keys[i]);
  }
}

void SeriesDirectory::MakeRoom(size_t more) {
  size_t capacity = std::max(entries_.size(), kFirstCapacity);
  while (!HasRoom(used_ + more, capacity)) capacity += capacity / 2;
  if (capacity == entries_.size()) return;
  const std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(capacity));
  for (const Entry& entry : before) {
    if (entry.ref.known()) entries_[PlaceOf(entry.key)] = entry;
  }
}

void SeriesDirectory::Add(std::span<const Entry> entries) {
  WriterLock lock(mutex_);
  MakeRoom(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) {
      __builtin_prefetch(&entries_[HomeOf(entries[i + kAhead].key)], /*write=*/1);
    }
    Entry& place = entries_[PlaceOf(entries[i].key)];
    used_ += place.ref.known() ? 0 : 1;
    place = entries[i];
  }
}

// Moves entries back that a lookup could not find past a free place.
void SeriesDirectory::Erase(size_t place) {
  const size_t capacity = entries_.size();
  const auto distance = [capacity](size_t from, size_t to) {
    return to >= from ? to - from : to + capacity - from;
  };
  size_t free = place;
  for (size_t at = (place + 1) % capacity; entries_[at].ref.known(); at = (at + 1) % capacity) {
    const size_t home = HomeOf(entries_[at].key);
    if (distance(home, at) < distance(free, at)) continue;
    entries_[free] = entries_[at];
    free = at;
  }
  entries_[free] = Entry();
  --used_;
}

void SeriesDirectory::Remove(std::span<const SeriesKey> keys) {
  WriterLock lock(mutex_);
  for (const SeriesKey& key : keys) {
    if (entries_.empty()) return;
    const size_t place = PlaceOf(key);
    if (entries_[place].ref.known()) Erase(place);
  }
}

size_t SeriesDirectory::size() const {
  ReaderLock lock(mutex_);
  return used_;
}

}  // namespace lockstep
