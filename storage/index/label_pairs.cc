#include "storage/index/label_pairs.h"

namespace lockstep {
namespace {

// A free index in `items`, appended if `free` has none.
template <typename T>
uint32_t TakePlace(std::deque<T>& items, std::vector<uint32_t>& free) {
  if (free.empty()) {
    items.emplace_back();
    return static_cast<uint32_t>(items.size() - 1);
  }
  const uint32_t place = free.back();
  free.pop_back();
  return place;
}

}  // namespace

NameId LabelPairs::InternName(std::string_view name) {
  if (const std::optional<NameId> known = FindName(name)) return *known;
  const NameId id = TakePlace(names_, free_names_);
  names_[id].text.assign(name);
  name_ids_.emplace(name, id);
  return id;
}

PairId LabelPairs::Intern(std::string_view name, std::string_view value) {
  const NameId name_id = InternName(name);
  LabelValueMap& values = names_[name_id].values;
  if (const auto known = values.find(value); known != values.end()) return known->second;
  const PairId id = TakePlace(pairs_, free_pairs_);
  LabelPair& pair = pairs_[id];
  pair.name = name_id;
  pair.value.assign(value);
  values.emplace(pair.value, id);
  return id;
}

void LabelPairs::Erase(PairId id) {
  const NameId name_id = pairs_[id].name;
  Name& name = names_[name_id];
  name.values.erase(pairs_[id].value);
  pairs_[id] = {};
  free_pairs_.push_back(id);
  if (!name.values.empty()) return;
  name_ids_.erase(name.text);
  name = {};
  free_names_.push_back(name_id);
}

std::optional<NameId> LabelPairs::FindName(std::string_view name) const {
  const auto at = name_ids_.find(name);
  if (at == name_ids_.end()) return std::nullopt;
  return at->second;
}

std::optional<PairId> LabelPairs::Find(std::string_view name, std::string_view value) const {
  const std::optional<NameId> name_id = FindName(name);
  if (!name_id) return std::nullopt;
  const LabelValueMap& of_name = values(*name_id);
  const auto at = of_name.find(value);
  if (at == of_name.end()) return std::nullopt;
  return at->second;
}

}  // namespace lockstep
