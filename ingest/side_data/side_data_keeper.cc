#include "ingest/side_data/side_data_keeper.h"

#include <utility>

#include "base/log.h"
#include "ingest/side_data/kept_rows.h"

namespace lockstep {
namespace {

std::string_view NameOf(KeptKind kind) {
  return kind == KeptKind::kMetadata ? "metadata" : "exemplars";
}

void TellDamage(KeptKind kind, uint32_t number) {
  Log(LogLevel::kError, "a kept row is damaged; ignoring it",
      {{"kind", NameOf(kind)}, {"row", number}});
}

}  // namespace

SideDataKeeper::SideDataKeeper(MetadataStore& metadata, ExemplarStore& exemplars, KeptRows& rows)
    : metadata_(metadata), exemplars_(exemplars), rows_(rows) {
  RestoreMetadata();
  RestoreExemplars();
  thread_ = std::jthread([this] { Run(); });
}

SideDataKeeper::~SideDataKeeper() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
  SaveMetadata();
  SaveExemplars();
}

std::vector<KeptRow> SideDataKeeper::Read(Kept& kept) {
  absl::StatusOr<std::vector<KeptRow>> rows = rows_.ReadKept(kept.kind);
  if (!rows.ok()) {
    Log(LogLevel::kError, "cannot read kept rows",
        {{"kind", NameOf(kept.kind)}, {"error", Message(rows.status())}});
    return {};
  }
  if (!rows->empty()) kept.row_count = size_t{rows->back().number} + 1;
  return *std::move(rows);
}

void SideDataKeeper::RestoreMetadata() {
  for (const KeptRow& row : Read(kept_metadata_)) {
    std::vector<MetadataEntry> entries;
    if (!DecodeKeptMetadata(row.bytes, entries)) TellDamage(kept_metadata_.kind, row.number);
    metadata_.Put(entries);
  }
  kept_metadata_.change_count = metadata_.change_count();
}

void SideDataKeeper::RestoreExemplars() {
  for (const KeptRow& row : Read(kept_exemplars_)) {
    const bool is_good =
        DecodeKeptExemplars(row.bytes, [this](const LabelSet& series, Exemplar exemplar) {
          exemplars_.Add(series, std::move(exemplar));
        });
    if (!is_good) TellDamage(kept_exemplars_.kind, row.number);
  }
  kept_exemplars_.change_count = exemplars_.change_count();
}

bool SideDataKeeper::WaitForNextLook() {
  const MutexLock lock(mutex_);
  if (!stop_) changed_.WaitFor(mutex_, kMetadataPeriod);
  return !stop_;
}

void SideDataKeeper::Run() {
  auto next_exemplars = std::chrono::steady_clock::now() + kExemplarPeriod;
  while (WaitForNextLook()) {
    SaveMetadata();
    const auto now = std::chrono::steady_clock::now();
    if (now < next_exemplars) continue;
    SaveExemplars();
    next_exemplars = now + kExemplarPeriod;
  }
}

void SideDataKeeper::SaveMetadata() {
  const uint64_t change_count = metadata_.change_count();
  if (change_count == kept_metadata_.change_count) return;
  Save(kept_metadata_, EncodeKeptMetadata(metadata_.List({}), KeptRows::kMaxRowBytes),
       change_count);
}

void SideDataKeeper::SaveExemplars() {
  const uint64_t change_count = exemplars_.change_count();
  if (change_count == kept_exemplars_.change_count) return;
  Save(kept_exemplars_, EncodeKeptExemplars(exemplars_, KeptRows::kMaxRowBytes), change_count);
}

void SideDataKeeper::Save(Kept& kept, std::vector<std::string> rows, uint64_t change_count) {
  const size_t row_count = rows.size();
  // Also clears old rows that are no longer needed.
  if (rows.size() < kept.row_count) rows.resize(kept.row_count);
  std::vector<KeptRow> changed;
  for (std::string& row : rows) {
    changed.push_back({static_cast<uint32_t>(changed.size()), std::move(row)});
  }
  const absl::Status status = rows_.WriteKept(kept.kind, changed);
  if (status.ok()) {
    kept.row_count = row_count;
    kept.change_count = change_count;
  } else if (!absl::IsPermissionDenied(status)) {
    Log(LogLevel::kWarn, "cannot keep rows for the next start",
        {{"kind", NameOf(kept.kind)}, {"error", Message(status)}});
  }
}

}  // namespace lockstep
