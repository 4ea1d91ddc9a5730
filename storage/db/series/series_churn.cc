#include "storage/db/series/series_churn.h"

#include <algorithm>

namespace lockstep {

size_t SeriesChurn::PlaceOf(const Ring& ring, int64_t bucket) {
  const auto size = static_cast<int64_t>(ring.size);
  return ring.first + static_cast<size_t>((bucket % size + size) % size);
}

void SeriesChurn::Clear(size_t place) {
  for (auto& [name, family] : families_) family->appeared[place] = family->left[place] = 0;
  others_.appeared[place] = others_.left[place] = 0;
}

// Forgets families whose last day is over.
void SeriesChurn::ForgetUnused() {
  constexpr auto is_zero = [](uint32_t count) { return count == 0; };
  absl::erase_if(families_, [&](const auto& named) {
    const Family& family = *named.second;
    return std::all_of(family.appeared.begin(), family.appeared.end(), is_zero) &&
           std::all_of(family.left.begin(), family.left.end(), is_zero);
  });
}

void SeriesChurn::Turn(int64_t now_ms) {
  for (size_t span = 0; span < kRings.size(); ++span) {
    const Ring& ring = kRings[span];
    const int64_t bucket = now_ms / ring.bucket_ms;
    int64_t& newest = newest_[span];
    if (!is_turned_) newest = bucket;
    if (bucket <= newest) continue;
    const int64_t first = std::max(newest + 1, bucket - static_cast<int64_t>(ring.size) + 1);
    for (int64_t next = first; next <= bucket; ++next) Clear(PlaceOf(ring, next));
    newest = bucket;
    if (span == kRings.size() - 1) ForgetUnused();
  }
  is_turned_ = true;
}

SeriesChurn::Family& SeriesChurn::FamilyOf(std::string_view job, std::string_view metric) {
  const auto found = families_.find(Name(job, metric));
  if (found != families_.end()) return *found->second;
  if (families_.size() >= kMaxFamilies) return others_;
  return *families_.emplace(Name(job, metric), std::make_unique<Family>()).first->second;
}

void SeriesChurn::AddAppeared(std::string_view job, std::string_view metric, uint32_t count) {
  Family& family = FamilyOf(job, metric);
  for (size_t span = 0; span < kRings.size(); ++span) {
    family.appeared[PlaceOf(kRings[span], newest_[span])] += count;
  }
}

void SeriesChurn::AddLeft(std::string_view job, std::string_view metric, uint32_t count) {
  Family& family = FamilyOf(job, metric);
  for (size_t span = 0; span < kRings.size(); ++span) {
    family.left[PlaceOf(kRings[span], newest_[span])] += count;
  }
}

ChurnCount SeriesChurn::CountOf(const Family& family, size_t span, int64_t now_ms) const {
  const Ring& ring = kRings[span];
  const auto back = static_cast<int64_t>(ring.size) - 1;
  ChurnCount count;
  for (int64_t bucket = std::max(now_ms / ring.bucket_ms, newest_[span]) - back;
       bucket <= newest_[span]; ++bucket) {
    count.appeared += family.appeared[PlaceOf(ring, bucket)];
    count.left += family.left[PlaceOf(ring, bucket)];
  }
  return count;
}

void SeriesChurn::ForEach(size_t span, int64_t now_ms, Visit visit) const {
  const auto visit_some = [&](std::string_view job, std::string_view metric, const Family& family) {
    const ChurnCount count = CountOf(family, span, now_ms);
    if (count.appeared + count.left > 0) visit(job, metric, count);
  };
  for (const auto& [name, family] : families_) visit_some(name.first, name.second, *family);
  visit_some("", "", others_);
}

}  // namespace lockstep
