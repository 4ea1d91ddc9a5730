// Fuzzes the readers of the store's small rows and text files; the first byte selects the format.
// Input that a reader accepts must come back from the writer and be read the same again.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "storage/db/backup/backup_folder.h"
#include "storage/db/head/journal_block.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/retention/clock_record.h"
#include "storage/db/rows/window_row.h"
#include "storage/db/series/dictionary_row.h"

namespace lockstep {
namespace {

void CheckPartRow(kv::DictionaryKind kind, std::string_view in) {
  const auto labels = DecodePartRow(kind, in);
  if (!labels.ok()) return;
  const auto again = DecodePartRow(kind, EncodePartRow(*labels));
  LOCKSTEP_CHECK(again.ok() && *again == *labels);
}

void CheckSeriesRow(std::string_view in) {
  constexpr SeriesId kFirst = 7;
  std::vector<SeriesEntry> entries, again;
  if (!DecodeSeriesRow(kFirst, in, entries).ok()) return;
  // A row costs no more memory than a small multiple of its bytes: each series takes at least two
  // bytes.
  LOCKSTEP_CHECK(entries.size() <= in.size());
  LOCKSTEP_CHECK(DecodeSeriesRow(kFirst, EncodeSeriesRow(kFirst, entries), again).ok());
  LOCKSTEP_CHECK(again == entries);
}

void CheckWindowRow(std::string_view in) {
  const auto row = DecodeWindowRow(in);
  if (!row.ok()) return;
  for (size_t i = 1; i < row->series.size(); ++i) {
    LOCKSTEP_CHECK(row->series[i - 1] < row->series[i]);
  }
  const auto again = DecodeWindowRow(EncodeWindowRow(*row));
  LOCKSTEP_CHECK(again.ok() && again->series == row->series);
  LOCKSTEP_CHECK(again->totals.sample_count == row->totals.sample_count);
}

struct JournalEntry {
  SeriesId id = 0;
  SampleColumns columns;
};

bool ReadJournal(std::string_view block, std::vector<JournalEntry>& entries) {
  return ReadJournalBlock(block,
                          [&entries](SeriesId id, const SampleColumns& columns) {
                            entries.push_back({id, columns});
                            return absl::OkStatus();
                          })
      .ok();
}

bool Ascends(const SampleColumns& columns) {
  for (size_t i = 1; i < columns.timestamps_ms.size(); ++i) {
    if (columns.timestamps_ms[i] <= columns.timestamps_ms[i - 1]) return false;
  }
  return true;
}

void CheckJournalBlock(std::string_view in) {
  std::vector<JournalEntry> entries, again;
  if (!ReadJournal(in, entries) || entries.empty()) return;
  JournalBlockBuilder builder;
  for (const JournalEntry& entry : entries) {
    // The checksum of the row's file would catch this damage first: no builder is ever given such
    // samples.
    if (!Ascends(entry.columns) || !entry.columns.histograms.empty()) return;
    builder.Add(entry.id, entry.columns);
  }
  LOCKSTEP_CHECK(ReadJournal(builder.Finish(), again));
  LOCKSTEP_CHECK(again.size() == entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    LOCKSTEP_CHECK(again[i].id == entries[i].id);
    LOCKSTEP_CHECK(again[i].columns.timestamps_ms == entries[i].columns.timestamps_ms);
  }
}

void CheckClockRecord(std::string_view in) {
  ClockRecord record, again;
  if (!DecodeClockRecord(in, record)) return;
  LOCKSTEP_CHECK(DecodeClockRecord(EncodeClockRecord(record), again) && again == record);
}

void CheckTextFiles(std::string_view in) {
  if (const auto manifest = ParseManifest(in); manifest.ok()) {
    LOCKSTEP_CHECK(ParseManifest(FormatManifest(*manifest)).ok());
  }
  if (const auto record = ParseBackupRecord(in); record.ok()) {
    LOCKSTEP_CHECK(FormatBackupRecord(*record) == in);
  }
}

void Run(uint8_t format, std::string_view in) {
  switch (format % 7) {
    case 0:
      return CheckPartRow(kv::DictionaryKind::kTarget, in);
    case 1:
      return CheckPartRow(kv::DictionaryKind::kMetric, in);
    case 2:
      return CheckSeriesRow(in);
    case 3:
      return CheckWindowRow(in);
    case 4:
      return CheckJournalBlock(in);
    case 5:
      return CheckClockRecord(in);
    default:
      return CheckTextFiles(in);
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  lockstep::Run(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
