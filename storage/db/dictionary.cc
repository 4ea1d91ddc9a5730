#include "storage/db/dictionary.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

std::string FamilyName(const LabelSet& labels) {
  std::string name;
  PutLengthPrefixed(name, labels.Get("job"));
  PutLengthPrefixed(name, labels.metric_name());
  return name;
}

}  // namespace

std::string EncodeDictionaryRow(const DictionaryRow& row) {
  std::string value;
  PutVarint64(value, row.place.family);
  PutVarint64(value, row.place.ordinal);
  value += row.labels.bytes();
  return value;
}

absl::StatusOr<DictionaryRow> DecodeDictionaryRow(SeriesId id, std::string_view value) {
  uint64_t family = 0, ordinal = 0;
  if (!GetVarint64(value, family) || !GetVarint64(value, ordinal) || family > UINT32_MAX ||
      ordinal > UINT32_MAX) {
    return absl::DataLossError("a row of the dictionary is malformed: series " +
                               std::to_string(id));
  }
  absl::StatusOr<LabelSet> labels = LabelSet::FromBytes(value);
  if (!labels.ok()) {
    return absl::DataLossError("the labels of series " + std::to_string(id) +
                               " are malformed: " + std::string(Message(labels.status())));
  }
  return DictionaryRow{
      id, {static_cast<uint32_t>(family), static_cast<uint32_t>(ordinal)}, *std::move(labels)};
}

Dictionary::Family& Dictionary::FamilyOf(const LabelSet& labels) {
  const auto [at, is_new] = families_.try_emplace(FamilyName(labels));
  if (is_new) at->second.number = next_family_++;
  return at->second;
}

SeriesId Dictionary::StageNew(const LabelSet& labels) {
  Family& family = FamilyOf(labels);
  const SeriesId id = next_id_++;
  staged_.push_back({id, {family.number, family.next_ordinal++}, labels});
  staged_byte_count_ += labels.bytes().size() + kv::EncodeSeriesKey(id).size();
  return id;
}

void Dictionary::PutStaged(kv::Batch& batch) const {
  for (const DictionaryRow& row : staged_) {
    batch.Put(kv::Space::kSeries, kv::EncodeSeriesKey(row.id), EncodeDictionaryRow(row));
  }
}

void Dictionary::CommitStaged() {
  for (const DictionaryRow& row : staged_) Add(row);
  RollbackStaged();
}

void Dictionary::RollbackStaged() {
  staged_.clear();
  staged_byte_count_ = 0;
}

void Dictionary::Add(const DictionaryRow& row) {
  index_.Add(row.id, row.labels);
  if (row.id >= infos_.size()) infos_.resize(size_t{row.id} + 1);
  infos_[row.id] = {row.place};
  next_id_ = std::max(next_id_, row.id + 1);
  next_family_ = std::max(next_family_, row.place.family + 1);
  Family& family = families_[FamilyName(row.labels)];
  family.number = row.place.family;
  family.next_ordinal = std::max(family.next_ordinal, row.place.ordinal + 1);
}

void Dictionary::Remove(std::span<const SeriesId> ids) { index_.Remove(ids); }

void Dictionary::RaiseSealedMax(SeriesId id, int64_t time_ms) {
  infos_[id].sealed_max_ms = std::max(infos_[id].sealed_max_ms, time_ms);
}

}  // namespace lockstep
