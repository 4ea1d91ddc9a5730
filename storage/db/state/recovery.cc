#include "storage/db/state/recovery.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/coding.h"
#include "storage/db/head/journal_block.h"
#include "storage/db/rows/window_row.h"
#include "storage/db/series/dictionary_loader.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

class Recoverer {
 public:
  explicit Recoverer(ShardState& shard) : shard_(shard) {}

  absl::Status Run() {
    WriterLock lock(shard_.mutex);
    LOCKSTEP_RETURN_IF_ERROR(ReadMark());
    LOCKSTEP_RETURN_IF_ERROR(ReadDictionary());
    LOCKSTEP_RETURN_IF_ERROR(ReadWindows());
    return ReplayJournal();
  }

 private:
  absl::Status ReadMark();
  absl::Status ReadDictionary() LOCKSTEP_REQUIRES(shard_.mutex);
  void ListInDirectory() LOCKSTEP_REQUIRES(shard_.mutex);
  absl::Status ReadWindows() LOCKSTEP_REQUIRES(shard_.mutex);
  void AddWindow(const kv::WindowKey& key, const WindowRow& row) LOCKSTEP_REQUIRES(shard_.mutex);
  absl::Status ReplayJournal() LOCKSTEP_REQUIRES(shard_.mutex);
  absl::Status Replay(SeriesId id, const SampleColumns& columns) LOCKSTEP_REQUIRES(shard_.mutex);

  ShardState& shard_;
  uint64_t mark_ = 0;
  Replacements replaced_series_;
};

absl::Status Recoverer::ReadMark() {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            shard_.kv->Get(kv::Space::kMeta, kv::JournalMarkKey()));
  if (!value.has_value()) return absl::OkStatus();
  std::string_view bytes = *value;
  if (!GetFixed64(bytes, mark_) || !bytes.empty()) {
    return absl::DataLossError("the journal mark is malformed");
  }
  return absl::OkStatus();
}

absl::Status Recoverer::ReadDictionary() {
  DictionaryLoader loader(*shard_.kv, shard_.dictionary);
  LOCKSTEP_RETURN_IF_ERROR(loader.Run());
  replaced_series_ = loader.replaced_series();
  ListInDirectory();
  return absl::OkStatus();
}

void Recoverer::ListInDirectory() {
  const SeriesIndex& index = shard_.dictionary.index();
  std::vector<SeriesDirectory::Entry> entries;
  entries.reserve(index.series_count());
  index.series().ForEach([&](SeriesId id, SeriesParts) {
    entries.push_back({SeriesKeyOf(index.Labels(id)), {shard_.number, id}});
  });
  shard_.directory->Add(entries);
}

absl::Status Recoverer::ReadWindows() {
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kMeta, kv::AllWindowKeys());
  for (; rows.Valid(); rows.Next()) {
    kv::WindowKey key;
    if (!kv::DecodeWindowKey(rows.key(), key)) {
      return absl::DataLossError("a window row's key is malformed");
    }
    // The seal that wrote this row did not finish: the journal still has all samples that it was to
    // cover.
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
  shard_.sealed_sequence = mark_;
  shard_.next_sequence = mark_ + 1;
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kJournal, kv::JournalKeysFrom(mark_ + 1));
  for (; rows.Valid(); rows.Next()) {
    uint64_t sequence = 0;
    if (!kv::DecodeJournalKey(rows.key(), sequence)) {
      return absl::DataLossError("a journal key is malformed");
    }
    LOCKSTEP_RETURN_IF_ERROR(Annotate(
        ReadJournalBlock(rows.value(),
                         [this](SeriesId id, const SampleColumns& columns)
                             LOCKSTEP_REQUIRES(shard_.mutex) { return Replay(id, columns); }),
        "journal block " + std::to_string(sequence)));
    shard_.next_sequence = sequence + 1;
  }
  shard_.replayed_sequence = shard_.next_sequence - 1;
  shard_.active->Commit();
  return rows.status();
}

absl::Status Recoverer::Replay(SeriesId id, const SampleColumns& columns) {
  while (!replaced_series_.empty()) {
    const auto used = replaced_series_.find(id);
    if (used == replaced_series_.end()) break;
    id = used->second;
  }
  if (!shard_.active->IsOpen(id)) {
    if (!shard_.dictionary.index().Contains(id)) {
      return absl::DataLossError("it names series " + std::to_string(id) +
                                 ", which is not in the dictionary");
    }
    shard_.active->Open(id, shard_.dictionary.SealedMaxMs(id));
  }
  shard_.active->Append(id, columns);
  return absl::OkStatus();
}

}  // namespace

absl::Status Recover(ShardState& shard) { return Recoverer(shard).Run(); }

}  // namespace lockstep
