#include "storage/db/series/dictionary_loader.h"

#include <string>
#include <utility>

#include "storage/db/series/dictionary_row.h"

namespace lockstep {
namespace {

using kv::DictionaryKind;

std::string NameOf(DictionaryKind kind, uint32_t number) {
  const char* const name = kind == DictionaryKind::kTarget   ? "target "
                           : kind == DictionaryKind::kMetric ? "metric "
                                                             : "the series from ";
  return "the dictionary row of " + (name + std::to_string(number));
}

// Calls load(number, value), which returns a status, for each row of the kind.
template <typename Load>
absl::Status ForEachRow(const kv::Store& kv, DictionaryKind kind, Load load) {
  kv::Cursor rows = kv.NewCursor(kv::Space::kSeries, kv::AllDictionaryKeys(kind));
  for (; rows.Valid(); rows.Next()) {
    uint32_t number = 0;
    if (!kv::DecodeDictionaryKey(rows.key(), kind, number) || number == UINT32_MAX) {
      return absl::DataLossError("a dictionary key is malformed");
    }
    LOCKSTEP_RETURN_IF_ERROR(Annotate(load(number, rows.value()), NameOf(kind, number)));
  }
  return rows.status();
}

}  // namespace

absl::Status DictionaryLoader::Run() {
  LOCKSTEP_RETURN_IF_ERROR(LoadParts(DictionaryKind::kMetric));
  LOCKSTEP_RETURN_IF_ERROR(LoadParts(DictionaryKind::kTarget));
  LOCKSTEP_RETURN_IF_ERROR(LoadAllSeries());
  dictionary_.EndLoading();
  return absl::OkStatus();
}

absl::Status DictionaryLoader::LoadParts(DictionaryKind kind) {
  return ForEachRow(kv_, kind, [this, kind](uint32_t number, std::string_view value) {
    return LoadPart(kind, number, value);
  });
}

absl::Status DictionaryLoader::LoadPart(DictionaryKind kind, uint32_t number,
                                        std::string_view value) {
  LOCKSTEP_ASSIGN_OR_RETURN(LabelSet labels, DecodePartRow(kind, value));
  if (kind == DictionaryKind::kMetric) {
    const MetricId used = dictionary_.LoadMetric(number, std::move(labels));
    if (used != number) metrics_[number] = used;
  } else {
    const TargetId used = dictionary_.LoadTarget(number, std::move(labels));
    if (used != number) targets_[number] = used;
  }
  return absl::OkStatus();
}

absl::Status DictionaryLoader::LoadAllSeries() {
  return ForEachRow(kv_, DictionaryKind::kSeries,
                    [this](SeriesId row, std::string_view value) { return LoadRow(row, value); });
}

absl::Status DictionaryLoader::LoadRow(SeriesId row, std::string_view value) {
  LOCKSTEP_RETURN_IF_ERROR(DecodeSeriesRow(row, value, entries_));
  for (SeriesEntry& entry : entries_) {
    if (entry.id < next_id_) {
      return absl::DataLossError("series " + std::to_string(entry.id) + " is also in another row");
    }
    next_id_ = entry.id + 1;
    LOCKSTEP_RETURN_IF_ERROR(Resolve(row, entry.parts));
    if (const std::optional<SeriesId> replaced = dictionary_.LoadSeries(row, entry)) {
      series_[*replaced] = entry.id;
    }
  }
  return absl::OkStatus();
}

absl::Status DictionaryLoader::Resolve(SeriesId row, SeriesParts& parts) {
  if (const auto used = targets_.find(parts.target); used != targets_.end()) {
    parts.target = used->second;
    dictionary_.MarkStale(row);
  }
  if (const auto used = metrics_.find(parts.metric); used != metrics_.end()) {
    parts.metric = used->second;
    dictionary_.MarkStale(row);
  }
  if (!dictionary_.index().targets().Has(parts.target) ||
      !dictionary_.index().metrics().Has(parts.metric)) {
    return absl::DataLossError("it names target " + std::to_string(parts.target) + " and metric " +
                               std::to_string(parts.metric) + ", at least one of which has no row");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
