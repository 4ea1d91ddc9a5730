#include "storage/db/recovery.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/coding.h"
#include "storage/db/journal_block.h"
#include "storage/db/window_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

class Recoverer {
 public:
  explicit Recoverer(ShardState& shard) : shard_(shard) {}

  absl::Status Run() {
    LOCKSTEP_RETURN_IF_ERROR(ReadMark());
    LOCKSTEP_RETURN_IF_ERROR(ReadDictionary());
    LOCKSTEP_RETURN_IF_ERROR(ReadWindows());
    return ReplayJournal();
  }

 private:
  absl::Status ReadMark();
  absl::Status ReadDictionary();
  void AddSeries(DictionaryRow row);
  absl::Status ReadWindows();
  void AddWindow(const kv::WindowKey& key, const WindowRow& row);
  absl::Status ReplayJournal();
  absl::Status Replay(SeriesId id, const SampleColumns& columns);

  ShardState& shard_;
  uint64_t mark_ = 0;
  absl::flat_hash_map<SeriesId, SeriesId> successors_;
};

absl::Status Recoverer::ReadMark() {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            shard_.kv->Get(kv::Space::kMeta, kv::JournalMarkKey()));
  if (!value.has_value()) return absl::OkStatus();
  std::string_view bytes = *value;
  if (!GetFixed64(bytes, mark_) || !bytes.empty()) {
    return absl::DataLossError("the journal's mark is malformed");
  }
  return absl::OkStatus();
}

absl::Status Recoverer::ReadDictionary() {
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kSeries, kv::AllSeriesKeys());
  for (; rows.Valid(); rows.Next()) {
    SeriesId id = 0;
    if (!kv::DecodeSeriesKey(rows.key(), id)) {
      return absl::DataLossError("a key of the dictionary is malformed");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(DictionaryRow row, DecodeDictionaryRow(id, rows.value()));
    AddSeries(std::move(row));
  }
  return rows.status();
}

// Two rows have the same labels if the log kept a batch that the disk had failed to take, or if the
// rows of a dropped series could not be deleted. The later one is in use; the other holds at most
// samples that were never acknowledged.
void Recoverer::AddSeries(DictionaryRow row) {
  const SeriesDirectory::Entry entry{SeriesKeyOf(row.labels), {shard_.number, row.id}};
  if (const std::optional<SeriesRef> earlier = shard_.directory->Find(entry.key)) {
    successors_[earlier->id] = row.id;
    shard_.dictionary.Remove({&earlier->id, 1});
  }
  shard_.dictionary.Add(row);
  shard_.directory->Add({&entry, 1});
}

absl::Status Recoverer::ReadWindows() {
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kMeta, kv::AllWindowKeys());
  for (; rows.Valid(); rows.Next()) {
    kv::WindowKey key;
    if (!kv::DecodeWindowKey(rows.key(), key)) {
      return absl::DataLossError("a window row's key is malformed");
    }
    // The seal that wrote it did not finish: the journal still has all that it was to name.
    if (key.generation > mark_) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(const WindowRow row, DecodeWindowRow(rows.value()));
    AddWindow(key, row);
  }
  return rows.status();
}

void Recoverer::AddWindow(const kv::WindowKey& key, const WindowRow& row) {
  shard_.windows[key.window].Add(key.tier, key.generation, row.totals);
  for (const SeriesId id : row.series) {
    if (shard_.dictionary.index().Contains(id)) {
      shard_.dictionary.RaiseSealedMax(id, row.totals.range.max_ms);
    }
  }
}

absl::Status Recoverer::ReplayJournal() {
  shard_.next_sequence = mark_ + 1;
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kJournal, kv::JournalKeysFrom(mark_ + 1));
  for (; rows.Valid(); rows.Next()) {
    uint64_t sequence = 0;
    if (!kv::DecodeJournalKey(rows.key(), sequence)) {
      return absl::DataLossError("a key of the journal is malformed");
    }
    LOCKSTEP_RETURN_IF_ERROR(Annotate(
        ReadJournalBlock(
            rows.value(),
            [this](SeriesId id, const SampleColumns& columns) { return Replay(id, columns); }),
        "journal block " + std::to_string(sequence)));
    shard_.next_sequence = sequence + 1;
  }
  shard_.active->Commit();
  return rows.status();
}

absl::Status Recoverer::Replay(SeriesId id, const SampleColumns& columns) {
  if (!successors_.empty()) {
    if (const auto successor = successors_.find(id); successor != successors_.end()) {
      id = successor->second;
    }
  }
  if (!shard_.active->IsOpen(id)) {
    if (!shard_.dictionary.index().Contains(id)) {
      return absl::DataLossError("it names series " + std::to_string(id) +
                                 ", which the dictionary does not know");
    }
    shard_.active->Open(id, shard_.dictionary.SealedMaxMs(id));
  }
  shard_.active->Append(id, columns);
  return absl::OkStatus();
}

}  // namespace

absl::Status Recover(ShardState& shard) { return Recoverer(shard).Run(); }

}  // namespace lockstep
