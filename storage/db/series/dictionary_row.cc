#include "storage/db/series/dictionary_row.h"

#include "base/coding.h"
#include "storage/index/label_split.h"

namespace lockstep {
namespace {

constexpr char kDictionaryRowVersion = 1;

bool TakeVersion(std::string_view& value) {
  if (value.empty() || value.front() != kDictionaryRowVersion) return false;
  value.remove_prefix(1);
  return true;
}

bool AreOfKind(const LabelSet& labels, kv::DictionaryKind kind) {
  for (const LabelView& label : labels) {
    if (IsMetricLabel(label.name) != (kind == kv::DictionaryKind::kMetric)) return false;
  }
  return true;
}

// Writes a number as the difference to the one before it.
void PutDelta(std::string& out, uint32_t number, uint32_t& previous) {
  PutVarintSigned64(out, static_cast<int64_t>(number) - static_cast<int64_t>(previous));
  previous = number;
}

bool GetDelta(std::string_view& in, uint32_t& previous) {
  int64_t delta = 0;
  if (!GetVarintSigned64(in, delta) || delta < -int64_t{UINT32_MAX} || delta > UINT32_MAX) {
    return false;
  }
  const int64_t number = static_cast<int64_t>(previous) + delta;
  if (number < 0 || number >= UINT32_MAX) return false;
  previous = static_cast<uint32_t>(number);
  return true;
}

// The number of entries at the front with consecutive ids and the same target.
size_t RunLength(std::span<const SeriesEntry> entries) {
  size_t length = 1;
  while (length < entries.size() && entries[length].id == entries[0].id + length &&
         entries[length].parts.target == entries[0].parts.target) {
    ++length;
  }
  return length;
}

// Takes one run off the front of `value`; `last` is the entry before it, or the initial state
// before the first entry.
bool TakeRun(std::string_view& value, uint64_t& next_id, SeriesEntry& last,
             std::vector<SeriesEntry>& entries) {
  uint64_t gap = 0, count = 0;
  if (!GetVarint64(value, gap) || !GetDelta(value, last.parts.target) ||
      !GetVarint64(value, count)) {
    return false;
  }
  if (count == 0 || gap > UINT32_MAX || count > kMaxSeriesPerRow - entries.size() ||
      next_id + gap + count > UINT32_MAX) {
    return false;
  }
  next_id += gap;
  for (; count > 0; --count) {
    last.id = static_cast<SeriesId>(next_id++);
    if (!GetDelta(value, last.parts.metric) || !GetDelta(value, last.place.family) ||
        !GetDelta(value, last.place.ordinal)) {
      return false;
    }
    entries.push_back(last);
  }
  return true;
}

}  // namespace

std::string EncodePartRow(const LabelSet& labels) {
  std::string value(1, kDictionaryRowVersion);
  value += labels.bytes();
  return value;
}

absl::StatusOr<LabelSet> DecodePartRow(kv::DictionaryKind kind, std::string_view value) {
  if (!TakeVersion(value)) return absl::DataLossError("it has an unknown version");
  LOCKSTEP_ASSIGN_OR_RETURN(LabelSet labels, LabelSet::FromBytes(value));
  if (!AreOfKind(labels, kind)) {
    return absl::DataLossError("it has labels of the wrong kind: " + labels.ToString());
  }
  return labels;
}

std::string EncodeSeriesRow(SeriesId first_id, std::span<const SeriesEntry> entries) {
  std::string value(1, kDictionaryRowVersion);
  SeriesId next_id = first_id;
  SeriesEntry last;
  while (!entries.empty()) {
    const size_t length = RunLength(entries);
    PutVarint64(value, entries[0].id - next_id);
    PutDelta(value, entries[0].parts.target, last.parts.target);
    PutVarint64(value, length);
    for (const SeriesEntry& entry : entries.first(length)) {
      PutDelta(value, entry.parts.metric, last.parts.metric);
      PutDelta(value, entry.place.family, last.place.family);
      PutDelta(value, entry.place.ordinal, last.place.ordinal);
      next_id = entry.id + 1;
    }
    entries = entries.subspan(length);
  }
  return value;
}

absl::Status DecodeSeriesRow(SeriesId first_id, std::string_view value,
                             std::vector<SeriesEntry>& entries) {
  entries.clear();
  if (!TakeVersion(value)) return absl::DataLossError("it has an unknown version");
  if (value.empty()) return absl::DataLossError("it has no series");
  uint64_t next_id = first_id;
  SeriesEntry last;
  while (!value.empty()) {
    if (!TakeRun(value, next_id, last, entries)) {
      return absl::DataLossError("its run at series " + std::to_string(next_id) + " is malformed");
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
