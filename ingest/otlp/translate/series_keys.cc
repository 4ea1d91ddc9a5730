#include "ingest/otlp/translate/series_keys.h"

#include <string_view>
#include <utility>

namespace lockstep::otlp {
namespace {

struct PartBytes {
  uint64_t part;
  double bound;
};

}  // namespace

Spelling SpellingOf(const Spelling& point, SeriesPart part, double bound) {
  if (part == SeriesPart::kWhole) return point;
  const PartBytes bytes{static_cast<uint64_t>(part), bound};
  return SpellingOf(
      point, SpellingOf(std::string_view(reinterpret_cast<const char*>(&bytes), sizeof(bytes))));
}

void SeriesKeys::Put(const Spelling& spelling, const SeriesKey& key) {
  if (keys_.size() == kMaxSpellings) keys_.clear();
  keys_.insert_or_assign(spelling, key);
}

const SeriesKey* SeriesKeys::Find(const Spelling& spelling) const {
  const auto found = keys_.find(spelling);
  return found == keys_.end() ? nullptr : &found->second;
}

SeriesKeysPool::Loan SeriesKeysPool::Take() {
  MutexLock lock(mutex_);
  if (idle_.empty()) return Loan(new SeriesKeys, GiveBack{this});
  Loan keys(idle_.back().release(), GiveBack{this});
  idle_.pop_back();
  return keys;
}

void SeriesKeysPool::GiveBack::operator()(SeriesKeys* keys) const {
  MutexLock lock(pool->mutex_);
  pool->idle_.emplace_back(keys);
}

}  // namespace lockstep::otlp
