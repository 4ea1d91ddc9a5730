#include "storage/db/check/shard_check.h"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "base/status.h"
#include "storage/db/check/rollup_check.h"
#include "storage/db/head/journal_block.h"
#include "storage/db/rows/window.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/marks/log_damage.h"
#include "storage/kv/store.h"
#include "storage/kv/table_file.h"

namespace lockstep {
namespace {

// The first key after the damaged table that holds `key`, or after the next one. If several
// qualify, the one that ends first, because the others may stop the reader again after it.
std::optional<std::string> BehindDamage(std::span<const kv::TableFile> damaged, kv::Space space,
                                        const std::string& key) {
  std::optional<std::string> behind;
  for (const kv::TableFile& table : damaged) {
    if (table.space != space || table.last_key < key) continue;
    std::string next = table.last_key + '\0';
    if (!behind.has_value() || next < *behind) behind = std::move(next);
  }
  return behind;
}

// Calls `row` for every readable row of the range, in key order, and `failed` each time that
// reading stops. If it stopped in a table of `damaged`, it continues after that table.
void ForEachReadableRow(const kv::Store& kv, kv::Space space, kv::KeyRange range,
                        std::span<const kv::TableFile> damaged,
                        absl::FunctionRef<void(std::string_view key, std::string_view value)> row,
                        absl::FunctionRef<void(const absl::Status& status)> failed) {
  while (true) {
    std::string at = range.begin;
    kv::Cursor rows = kv.NewCursor(space, range);
    for (; rows.Valid(); rows.Next()) {
      at = std::string(rows.key()) + '\0';
      row(rows.key(), rows.value());
    }
    if (rows.status().ok()) return;
    failed(rows.status());
    std::optional<std::string> behind = BehindDamage(damaged, space, at);
    if (!behind.has_value()) return;
    range.begin = *std::move(behind);
  }
}

constexpr uint64_t kRowsPerProgress = 1000;
constexpr kv::Tier kTiers[] = {kv::Tier::kCold, kv::Tier::kHot};

std::string NameOf(kv::Space space) {
  switch (space) {
    case kv::Space::kMeta:
      return "marks and window rows";
    case kv::Space::kSeries:
      return "dictionary";
    case kv::Space::kJournal:
      return "journal";
    case kv::Space::kHot:
      return "hot chunks";
    case kv::Space::kCold:
      return "cold chunks";
    case kv::Space::kRollup:
      return "rollup";
  }
  return "";
}

}  // namespace

ShardCheck::ShardCheck(std::string folder, std::string name, std::shared_ptr<kv::Env> env,
                       CheckReport& report, const CheckListener& listener)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      env_(std::move(env)),
      report_(report),
      listener_(listener),
      dictionary_(
          [this](const std::string& where, const std::string& what) { Damage(where, what); }) {}

absl::Status ShardCheck::Run() {
  LOCKSTEP_RETURN_IF_ERROR(Open());
  CheckLogs();
  if (kv_ == nullptr) {
    CheckTableFiles();
    return absl::OkStatus();
  }
  CheckTables();
  CheckMark();
  CheckDictionary();
  CheckJournal();
  CheckDays();
  CheckRollups();
  return absl::OkStatus();
}

// Leaves `kv_` null if only the files themselves can be read.
absl::Status ShardCheck::Open() {
  Progress("opening");
  const auto resources = std::make_shared<const kv::Resources>(kv::ResourceLimits());
  absl::StatusOr<std::unique_ptr<kv::Store>> opened =
      kv::Store::OpenReadOnly(folder_, env_, resources);
  if (absl::IsFailedPrecondition(opened.status())) return opened.status();
  if (!opened.ok()) {
    Damage("", std::string(Message(opened.status())));
    opened = kv::Store::OpenDamaged(folder_, env_, resources);
  }
  if (opened.ok()) {
    kv_ = *std::move(opened);
  } else {
    Damage("", "none of its rows can be read: " + std::string(Message(opened.status())));
  }
  return absl::OkStatus();
}

void ShardCheck::CheckTables() {
  for (const kv::TableFile& table : kv_->Tables()) {
    Progress("checksums of " + table.name);
    ++report_.table_count;
    report_.table_bytes += table.byte_count;
    const absl::Status status = kv::VerifyTable(*env_, folder_ + "/" + table.name);
    if (status.ok()) continue;
    Damage(absl::StrFormat("%s (%s)", table.name, NameOf(table.space)),
           std::string(Message(status)));
    damaged_.push_back(table);
  }
}

// Checks all table files in the folder, without knowing their content.
void ShardCheck::CheckTableFiles() {
  const absl::StatusOr<std::vector<std::string>> names = env_->ListFolder(folder_);
  if (!names.ok()) return Damage("", std::string(Message(names.status())));
  for (const std::string& name : *names) {
    if (!name.ends_with(".sst")) continue;
    Progress("checksums of " + name);
    ++report_.table_count;
    const absl::Status status = kv::VerifyTable(*env_, folder_ + "/" + name);
    if (!status.ok()) Damage(name, std::string(Message(status)));
  }
}

void ShardCheck::CheckLogs() {
  Progress("checksums of the log");
  const absl::StatusOr<kv::LogDamage> damage =
      kv::FindLogDamage(*env_, folder_, kv_ == nullptr ? 0 : kv_->oldest_log_read());
  if (!damage.ok()) return Damage("log", std::string(Message(damage.status())));
  // Damage at the end is what a power cut leaves of a write that was never acknowledged.
  if (*damage == kv::LogDamage::kInside) {
    Damage("log", "it is damaged before its last record");
  }
}

void ShardCheck::CheckMark() {
  const auto value = kv_->Get(kv::Space::kMeta, kv::JournalMarkKey());
  std::string_view bytes;
  if (value.ok() && !value->has_value()) return;
  if (value.ok()) bytes = **value;
  if (value.ok() && GetFixed64(bytes, mark_) && bytes.empty()) return;
  Damage("journal mark", value.ok() ? "it is malformed" : std::string(Message(value.status())));
  // Without a mark, nothing can be recognised as unfinished.
  mark_ = std::numeric_limits<uint64_t>::max();
}

void ShardCheck::CheckDictionary() {
  Progress("dictionary");
  for (const kv::DictionaryKind kind :
       {kv::DictionaryKind::kMetric, kv::DictionaryKind::kTarget, kv::DictionaryKind::kSeries}) {
    ForEachRow(kv::Space::kSeries, kv::AllDictionaryKeys(kind),
               [this, kind](std::string_view key, std::string_view value) {
                 dictionary_.AddRow(kind, key, value);
               });
  }
  report_.series_count += dictionary_.ids().size();
}

void ShardCheck::CheckJournal() {
  Progress("journal");
  ForEachRow(kv::Space::kJournal, kv::JournalKeysFrom(0),
             [this](std::string_view key, std::string_view value) {
               uint64_t sequence = 0;
               if (!kv::DecodeJournalKey(key, sequence))
                 return Damage("journal", "a malformed key");
               CheckJournalBlock(sequence, value);
             });
}

void ShardCheck::CheckJournalBlock(uint64_t sequence, std::string_view block) {
  const bool is_in_chunks = sequence <= mark_;
  uint64_t sample_count = 0;
  std::optional<SeriesId> unknown;
  const absl::Status status =
      ReadJournalBlock(block, [&](SeriesId id, const SampleColumns& columns) {
        sample_count += columns.size();
        if (!dictionary_.ids().contains(id)) unknown = id;
        return absl::OkStatus();
      });
  const std::string where = absl::StrFormat("journal block %d", sequence);
  if (!status.ok()) Damage(where, std::string(Message(status)));
  if (is_in_chunks) return;
  if (unknown.has_value()) {
    Damage(where, absl::StrFormat("it names series %d, which is not in the dictionary", *unknown));
  }
  ++report_.journal_block_count;
  report_.journal_sample_count += sample_count;
}

// All windows with window rows or chunks.
std::set<int32_t> ShardCheck::AllWindows() {
  std::set<int32_t> windows;
  ForEachRow(kv::Space::kMeta, kv::AllWindowKeys(), [&](std::string_view bytes, std::string_view) {
    kv::WindowKey key;
    if (kv::DecodeWindowKey(bytes, key)) {
      windows.insert(key.window);
    } else {
      Damage("window rows", "a malformed key");
    }
  });
  for (const kv::Tier tier : kTiers) {
    const kv::Space space = kv::SpaceOf(tier);
    kv::Cursor rows = kv_->NewCursor(space, {});
    while (rows.Valid()) {
      kv::ChunkKey key;
      if (!kv::DecodeChunkKey(rows.key(), key)) {
        Damage(NameOf(space), "a malformed key");
        rows.Next();
        continue;
      }
      windows.insert(key.window);
      if (key.window == std::numeric_limits<int32_t>::max()) break;
      rows.Seek(kv::EncodeChunkKey({key.window + 1, 0, 0, 0, 0}));
    }
  }
  return windows;
}

void ShardCheck::CheckWindow(int32_t window, DayCheck& day) {
  for (const kv::Tier tier : kTiers) {
    const kv::Space space = kv::SpaceOf(tier);
    ForEachRow(space, kv::ChunkKeysOf(window), [&](std::string_view bytes, std::string_view value) {
      if (chunk_row_count_++ % kRowsPerProgress == 0) {
        Progress(absl::StrFormat("chunks of %s, %d rows so far",
                                 DayName(DayOf(RangeOfWindow(window).min_ms)), chunk_row_count_));
      }
      kv::ChunkKey key;
      if (!kv::DecodeChunkKey(bytes, key)) return Damage(NameOf(space), "a malformed key");
      day.AddChunkRow(tier, key, value);
    });
  }
  ForEachRow(kv::Space::kMeta, kv::WindowKeysOf(window),
             [&day](std::string_view bytes, std::string_view value) {
               kv::WindowKey key;
               if (kv::DecodeWindowKey(bytes, key)) day.AddWindowRow(key, value);
             });
  day.EndWindow(window);
}

void ShardCheck::EndDay(int32_t number, DayCheck& day) {
  const CheckedDay checked = day.Finish();
  report_.unfinished_row_count += day.unfinished_row_count();
  if (checked.row_count == 0) return;
  CheckedDay& sum = report_.days[number];
  sum.totals.Add(checked.totals);
  sum.row_count += checked.row_count;
  sum.series_count += checked.series_count;
}

void ShardCheck::CheckDays() {
  std::optional<DayCheck> day;
  int32_t number = 0;
  for (const int32_t window : AllWindows()) {
    const int32_t next = DayOf(RangeOfWindow(window).min_ms);
    if (!day.has_value() || next != number) {
      if (day.has_value()) EndDay(number, *day);
      number = next;
      day.emplace(
          mark_, dictionary_.places(),
          [this](const std::string& where, const std::string& what) { Damage(where, what); });
    }
    CheckWindow(window, *day);
  }
  if (day.has_value()) EndDay(number, *day);
}

void ShardCheck::CheckRollups() {
  Progress("rollup");
  ForEachRow(kv::Space::kRollup, {}, [this](std::string_view bytes, std::string_view value) {
    kv::RollupKey key;
    if (!kv::DecodeRollupKey(bytes, key)) return Damage("rollup", "a malformed key");
    const absl::Status status = CheckRollup(*kv_, key, value);
    if (status.ok()) return;
    Damage(absl::StrFormat("rollup of %s, window %d family %d block %d",
                           DayName(DayOf(RangeOfWindow(key.window).min_ms)), key.window, key.family,
                           key.block),
           std::string(Message(status)));
  });
}

void ShardCheck::ForEachRow(
    kv::Space space, kv::KeyRange range,
    absl::FunctionRef<void(std::string_view key, std::string_view value)> row) {
  ForEachReadableRow(
      *kv_, space, std::move(range), damaged_, row, [this, space](const absl::Status& status) {
        Damage(NameOf(space), "some rows cannot be read: " + std::string(Message(status)));
      });
}

void ShardCheck::Damage(const std::string& where, const std::string& what) {
  ++report_.damage_count;
  listener_.on_damage(where.empty() ? name_ : name_ + " " + where, what);
}

void ShardCheck::Progress(const std::string& doing) { listener_.on_progress(name_ + ": " + doing); }

}  // namespace lockstep
