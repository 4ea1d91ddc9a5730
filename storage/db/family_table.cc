#include "storage/db/family_table.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep {

SeriesPlace FamilyTable::Take(FamilyKey key) {
  const auto [at, is_new] = families_.try_emplace(key);
  Family& family = at->second;
  if (is_new) family.number = next_number_++;
  ++family.series_count;
  return {family.number, family.next_ordinal++};
}

// Of several numbers, which a log whose end was in doubt can bring, the last is used further.
void FamilyTable::Load(FamilyKey key, SeriesPlace place) {
  Family& family = families_[key];
  family.number = place.family;
  family.next_ordinal = std::max(family.next_ordinal, place.ordinal + 1);
  ++family.series_count;
  next_number_ = std::max(next_number_, place.family + 1);
}

void FamilyTable::Release(FamilyKey key) {
  const auto at = families_.find(key);
  LOCKSTEP_CHECK(at != families_.end());
  if (--at->second.series_count == 0) families_.erase(at);
}

}  // namespace lockstep
