#include "storage/db/series/part_numbers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "model/tenant.h"
#include "storage/db/series/group_name.h"

namespace lockstep {

PartNumbers::Part PartNumbers::Stage(std::string_view labels) {
  if (!has_last_ || last_labels_ != labels) {
    last_number_ = Find(labels);
    last_labels_.assign(labels);
    has_last_ = true;
  }
  // Staged numbers ascend, but numbers between them may have been skipped.
  const auto staged =
      std::lower_bound(staged_.begin(), staged_.end(), last_number_,
                       [](const Staged& part, uint32_t number) { return part.number < number; });
  if (staged != staged_.end() && staged->number == last_number_) ++staged->series_count;
  return {last_number_, group_of_[last_number_]};
}

// Finds the number of the part, or assigns and stages a new one.
uint32_t PartNumbers::Find(std::string_view labels) {
  if (const std::optional<uint32_t> known = known_.Find(labels)) return *known;
  const auto staged = staged_numbers_.find(labels);
  if (staged != staged_numbers_.end()) return staged->second;
  LOCKSTEP_CHECK(next_number_ != UINT32_MAX);
  const uint32_t number = next_number_++;
  staged_numbers_.emplace(labels, number);
  staged_byte_count_ += labels.size();
  staged_.push_back({number, LabelSet::OfPacked(std::string(labels)), 0});
  group_of_.Put(number, TakeGroup(staged_.back().labels));
  return number;
}

std::vector<PartNumbers::Staged> PartNumbers::CommitStaged() {
  staged_numbers_.clear();
  staged_byte_count_ = 0;
  return std::exchange(staged_, {});
}

void PartNumbers::RollbackStaged() {
  Postings numbers;
  for (const Staged& part : CommitStaged()) numbers.push_back(part.number);
  Forget(numbers);
}

void PartNumbers::Load(uint32_t number, const LabelSet& labels) {
  group_of_.Put(number, TakeGroup(labels));
  Skip(number);
}

void PartNumbers::Skip(uint32_t number) { next_number_ = std::max(next_number_, number + 1); }

void PartNumbers::Forget(PostingsView numbers) {
  for (const uint32_t number : numbers) {
    ReleaseGroup(group_of_[number]);
    group_of_.Erase(number);
  }
  has_last_ = false;
}

uint32_t PartNumbers::TakeGroup(const LabelSet& labels) {
  const std::string value = GroupName(TenantOf(labels), labels.Get(group_label_));
  const auto [at, is_new] = group_numbers_.try_emplace(value);
  if (is_new) {
    if (free_groups_.empty()) {
      free_groups_.push_back(static_cast<uint32_t>(groups_.size()));
      groups_.emplace_back();
    }
    at->second = free_groups_.back();
    free_groups_.pop_back();
    groups_[at->second].value = value;
  }
  ++groups_[at->second].part_count;
  return at->second;
}

void PartNumbers::ReleaseGroup(uint32_t number) {
  Group& group = groups_[number];
  if (--group.part_count > 0) return;
  group_numbers_.erase(group.value);
  group = {};
  free_groups_.push_back(number);
}

SeriesPlace FamilyTable::Take(FamilyKey key) {
  const auto [at, is_new] = families_.try_emplace(key);
  Family& family = at->second;
  if (is_new) family.number = next_number_++;
  ++family.series_count;
  return {family.number, family.next_ordinal++};
}

// If a log whose end was in doubt brings several numbers, the last one stays in use.
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
