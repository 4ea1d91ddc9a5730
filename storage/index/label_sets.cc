#include "storage/index/label_sets.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace lockstep {

void LabelSets::Add(uint32_t id, LabelSet labels) {
  const LabelSet& added = sets_.Put(id, std::move(labels));
  byte_count_ += added.bytes().size();
  const bool is_new = ids_.insert(id).second;
  LOCKSTEP_CHECK(is_new);
  for (const LabelView& label : added) {
    Insert(pairs_.pair(pairs_.Intern(label.name, label.value)).postings, id);
  }
}

void LabelSets::Remove(PostingsView ids) {
  absl::flat_hash_map<PairId, Postings> gone_by_pair;
  for (const uint32_t id : ids) {
    for (const LabelView& label : sets_[id]) {
      gone_by_pair[*pairs_.Find(label.name, label.value)].push_back(id);
    }
    byte_count_ -= sets_[id].bytes().size();
    ids_.erase(id);
    sets_.Erase(id);
  }
  for (const auto& [pair_id, gone_ids] : gone_by_pair) {
    Postings& postings = pairs_.pair(pair_id).postings;
    SubtractAndShrink(postings, gone_ids);
    if (postings.empty()) pairs_.Erase(pair_id);
  }
}

std::optional<uint32_t> LabelSets::Find(std::string_view bytes) const {
  const auto at = ids_.find(bytes);
  if (at == ids_.end()) return std::nullopt;
  return *at;
}

}  // namespace lockstep
