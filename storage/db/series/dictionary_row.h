// The values of dictionary rows. On disk: docs/formats/keys.md. Pure functions.
//
//   part row     | version u8 = 1 | labels |              a target or a metric
//   series row   | version u8 = 1 | run | run | ...       series that became known in one commit
//   run          | id gap | target | count | metric, family, ordinal | ... |
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "storage/db/series/series_place.h"
#include "storage/index/series_table.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

struct SeriesEntry {
  SeriesId id = 0;
  SeriesParts parts;
  SeriesPlace place;
  friend bool operator==(const SeriesEntry&, const SeriesEntry&) = default;
};

// More series take several rows, so that no row exceeds the maximum size of a value.
inline constexpr size_t kMaxSeriesPerRow = 16'384;
// The most bytes that a series takes in a row, including its run.
inline constexpr size_t kMaxSeriesEntryBytes = 28;

std::string EncodePartRow(const LabelSet& labels);
// kDataLoss if it is malformed or its labels are of the other kind. Precondition: `kind` is kTarget
// or kMetric.
absl::StatusOr<LabelSet> DecodePartRow(kv::DictionaryKind kind, std::string_view value);

// Precondition: ids ascend and are at least `first_id`.
std::string EncodeSeriesRow(SeriesId first_id, std::span<const SeriesEntry> entries);
// Replaces `entries`. All numbers are below UINT32_MAX.
absl::Status DecodeSeriesRow(SeriesId first_id, std::string_view value,
                             std::vector<SeriesEntry>& entries);

}  // namespace lockstep
