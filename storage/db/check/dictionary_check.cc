#include "storage/db/check/dictionary_check.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/status.h"

namespace lockstep {
namespace {

using kv::DictionaryKind;

std::string NameOfEntry(DictionaryKind kind, uint32_t number) {
  const char* const name = kind == DictionaryKind::kTarget   ? "target"
                           : kind == DictionaryKind::kMetric ? "metric"
                                                             : "series from";
  return absl::StrFormat("dictionary %s %d", name, number);
}

}  // namespace

void DictionaryCheck::AddRow(DictionaryKind kind, std::string_view key, std::string_view value) {
  uint32_t number = 0;
  if (!kv::DecodeDictionaryKey(key, kind, number) || number == UINT32_MAX) {
    return damage_("dictionary", "a malformed key");
  }
  if (kind == DictionaryKind::kSeries) {
    AddSeriesRow(number, value);
  } else {
    AddPart(kind, number, value);
  }
}

void DictionaryCheck::AddPart(DictionaryKind kind, uint32_t number, std::string_view value) {
  const absl::StatusOr<LabelSet> labels = DecodePartRow(kind, value);
  if (!labels.ok()) damage_(NameOfEntry(kind, number), std::string(Message(labels.status())));
  // Malformed parts count too: the missing labels of their series have already been reported.
  (kind == DictionaryKind::kTarget ? targets_ : metrics_).insert(number);
}

void DictionaryCheck::AddSeriesRow(SeriesId row, std::string_view value) {
  const absl::Status status = DecodeSeriesRow(row, value, entries_);
  if (!status.ok()) {
    damage_(NameOfEntry(DictionaryKind::kSeries, row), std::string(Message(status)));
    return;
  }
  for (const SeriesEntry& entry : entries_) AddSeries(entry);
}

void DictionaryCheck::AddSeries(const SeriesEntry& entry) {
  const std::string where = absl::StrFormat("dictionary series %d", entry.id);
  if (entry.id < next_id_) return damage_(where, "it is in two rows");
  next_id_ = uint64_t{entry.id} + 1;
  ids_.insert(entry.id);
  if (!targets_.contains(entry.parts.target)) {
    damage_(where,
            absl::StrFormat("it belongs to target %d, which has no row", entry.parts.target));
  }
  if (!metrics_.contains(entry.parts.metric)) {
    damage_(where,
            absl::StrFormat("it belongs to metric %d, which has no row", entry.parts.metric));
  }
  if (places_.Add(entry.place, entry.id)) return;
  damage_(where,
          absl::StrFormat("series %d has the same place, family %d ordinal %d",
                          *places_.Find(entry.place), entry.place.family, entry.place.ordinal));
}

}  // namespace lockstep
