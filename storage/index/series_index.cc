#include "storage/index/series_index.h"

#include <algorithm>

#include "base/check.h"
#include "storage/index/cardinality.h"
#include "storage/index/selection.h"

namespace lockstep {
namespace {

std::vector<SeriesId> SortedAndKnown(std::span<const SeriesId> ids, const SeriesTable& series) {
  std::vector<SeriesId> known(ids.begin(), ids.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::erase_if(known, [&](SeriesId id) { return !series.Contains(id); });
  return known;
}

void SubtractAndShrink(Postings& ids, PostingsView gone) {
  Subtract(ids, gone);
  if (ids.size() < ids.capacity() / 2) ids.shrink_to_fit();
}

}  // namespace

uint32_t SeriesIndex::HashOf(const LabelSet& labels) {
  return static_cast<uint32_t>(labels.Hash() >> 32);
}

bool SeriesIndex::HasLabels(SeriesId id, const LabelSet& labels) const {
  auto label = labels.begin();
  for (const PairId pair_id : series_.Pairs(id)) {
    const LabelPair& pair = pairs_.pair(pair_id);
    if (label == labels.end() || label->value != pair.value ||
        label->name != pairs_.name(pair.name)) {
      return false;
    }
    ++label;
  }
  return label == labels.end();
}

void SeriesIndex::Add(SeriesId id, const LabelSet& labels) {
  std::vector<PairId> pair_ids;
  for (const LabelView& label : labels) {
    pair_ids.push_back(pairs_.Intern(label.name, label.value));
    Insert(pairs_.pair(pair_ids.back()).postings, id);
  }
  series_.Add(id, pair_ids);
  Insert(all_ids_, id);
  const bool added = by_labels_.insert({HashOf(labels), id}).second;
  LOCKSTEP_CHECK(added);
}

void SeriesIndex::Remove(std::span<const SeriesId> ids) {
  const std::vector<SeriesId> gone = SortedAndKnown(ids, series_);
  absl::flat_hash_map<PairId, Postings> gone_by_pair;
  for (const SeriesId id : gone) {
    by_labels_.erase(Key{HashOf(Labels(id)), id});
    for (const PairId pair_id : series_.Pairs(id)) gone_by_pair[pair_id].push_back(id);
    series_.Remove(id);
  }
  for (const auto& [pair_id, gone_ids] : gone_by_pair) {
    Postings& postings = pairs_.pair(pair_id).postings;
    SubtractAndShrink(postings, gone_ids);
    if (postings.empty()) pairs_.Erase(pair_id);
  }
  SubtractAndShrink(all_ids_, gone);
}

std::optional<SeriesId> SeriesIndex::Find(const LabelSet& labels) const {
  const auto at = by_labels_.find(Probe{HashOf(labels), labels});
  if (at == by_labels_.end()) return std::nullopt;
  return at->id;
}

LabelSet SeriesIndex::Labels(SeriesId id) const {
  LOCKSTEP_CHECK(series_.Contains(id));
  std::vector<LabelView> labels;
  for (const PairId pair_id : series_.Pairs(id)) {
    const LabelPair& pair = pairs_.pair(pair_id);
    labels.push_back({pairs_.name(pair.name), pair.value});
  }
  return LabelSet::OfSorted(labels);
}

absl::StatusOr<std::vector<SeriesId>> SeriesIndex::Select(std::span<const Matcher> matchers,
                                                          const QueryBudget* budget) const {
  return SelectSeries(pairs_, series_, all_ids_, matchers, budget);
}

absl::StatusOr<std::vector<std::string>> SeriesIndex::LabelNames(std::span<const Matcher> matchers,
                                                                 const QueryBudget* budget) const {
  std::vector<std::string> names;
  if (matchers.empty()) {
    for (const auto& [name, id] : pairs_.names()) names.push_back(name);
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids, Select(matchers, budget));
    for (const NameId id : NamesOf(pairs_, series_, ids)) names.push_back(pairs_.name(id));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<std::string>> SeriesIndex::LabelValues(std::string_view name,
                                                                  std::span<const Matcher> matchers,
                                                                  const QueryBudget* budget) const {
  const std::optional<NameId> name_id = pairs_.FindName(name);
  std::vector<std::string> values;
  if (!name_id) return values;
  if (matchers.empty()) {
    for (const auto& [value, id] : pairs_.values(*name_id)) values.emplace_back(value);
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids, Select(matchers, budget));
    for (const PairId id : PairsOf(pairs_, series_, *name_id, ids)) {
      values.push_back(pairs_.pair(id).value);
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

CardinalityStats SeriesIndex::Cardinality(size_t limit) const {
  return CountCardinality(pairs_, limit);
}

}  // namespace lockstep
