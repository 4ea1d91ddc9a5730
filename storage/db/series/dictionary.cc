#include "storage/db/series/dictionary.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "model/tenant.h"
#include "storage/db/series/group_name.h"
#include "storage/index/label_split.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

using kv::DictionaryKind;

constexpr std::string_view kJobLabel = "job";

// The memory that the index takes for each of its parts; docs/limits.md has the measurements.
constexpr uint64_t kSeriesBytes = 80;  // including the series' entry in the directory
constexpr uint64_t kPartBytes = 200;   // a target or a metric
constexpr uint64_t kPairBytes = 160;  // a name and a value, shared by all label sets that have them
constexpr uint64_t kBytesPerLabelByte = 2;

// One part's row beyond its labels: the key, the version, and the overhead in a batch.
constexpr size_t kPartRowBytes = 24;
// A cleanup batch ends when it has this many bytes.
constexpr size_t kCleanupBytes = size_t{1} << 20;

// The job, with its tenant.
std::string JobOf(const LabelSet& labels) {
  return GroupName(TenantOf(labels), labels.Get(kJobLabel));
}

std::vector<std::span<const SeriesEntry>> SplitIntoRows(std::span<const SeriesEntry> entries) {
  std::vector<std::span<const SeriesEntry>> rows;
  while (!entries.empty()) {
    rows.push_back(entries.first(std::min(entries.size(), kMaxSeriesPerRow)));
    entries = entries.subspan(rows.back().size());
  }
  return rows;
}

void PutParts(kv::Batch& batch, DictionaryKind kind, const PartNumbers& parts) {
  for (const PartNumbers::Staged& part : parts.staged()) {
    batch.Put(kv::Space::kSeries, EncodeDictionaryKey(kind, part.number),
              EncodePartRow(part.labels));
  }
}

// Moves numbers from `stale` to `done` while the batch has room for the deletion of their rows.
void DeleteParts(kv::Batch& batch, DictionaryKind kind, const Postings& stale, Postings& done) {
  for (const uint32_t number : stale) {
    if (batch.byte_count() >= kCleanupBytes) return;
    batch.Delete(kv::Space::kSeries, EncodeDictionaryKey(kind, number));
    done.push_back(number);
  }
}

void DropFront(Postings& numbers, size_t count) {
  numbers.erase(numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(count));
}

}  // namespace

Dictionary::Dictionary(std::shared_ptr<SeriesLimit> limit, Clock now_ms)
    : limit_(limit != nullptr ? std::move(limit) : std::make_shared<SeriesLimit>()),
      now_ms_(std::move(now_ms)),
      churn_(now_ms_()) {}

Dictionary::Staging Dictionary::StageNew(const LabelSet& labels) {
  const SeriesLimit::Answer answer = limit_->Take(JobOf(labels), kSeriesBytes);
  if (answer != SeriesLimit::Answer::kTaken) return {answer};
  counted_bytes_ += kSeriesBytes;
  LOCKSTEP_CHECK(next_id_ != UINT32_MAX);
  SplitLabels(labels, target_labels_, metric_labels_);
  const PartNumbers::Part target = targets_.Stage(target_labels_);
  const PartNumbers::Part metric = metrics_.Stage(metric_labels_);
  staged_.push_back(
      {next_id_, {target.number, metric.number}, families_.Take({target.group, metric.group})});
  return {answer, next_id_++};
}

uint64_t Dictionary::KnownBytes() const {
  const LabelSets& targets = index_.targets();
  const LabelSets& metrics = index_.metrics();
  return index_.series_count() * kSeriesBytes + (targets.size() + metrics.size()) * kPartBytes +
         index_.label_pair_count() * kPairBytes +
         (targets.byte_count() + metrics.byte_count()) * kBytesPerLabelByte;
}

void Dictionary::CountBytes(uint64_t bytes) {
  limit_->ReplaceBytes(counted_bytes_, bytes);
  counted_bytes_ = bytes;
}

void Dictionary::GiveBack(const absl::flat_hash_map<uint32_t, uint64_t>& count_by_group) {
  for (const auto& [group, count] : count_by_group) {
    limit_->GiveBack(targets_.ValueOfGroup(group), count);
  }
}

size_t Dictionary::staged_byte_count() const {
  return targets_.staged_byte_count() + metrics_.staged_byte_count() +
         (targets_.staged().size() + metrics_.staged().size()) * kPartRowBytes +
         staged_.size() * kMaxSeriesEntryBytes;
}

void Dictionary::PutStaged(kv::Batch& batch) const {
  PutParts(batch, DictionaryKind::kMetric, metrics_);
  PutParts(batch, DictionaryKind::kTarget, targets_);
  for (const std::span<const SeriesEntry> row : SplitIntoRows(staged_)) {
    batch.Put(kv::Space::kSeries, EncodeDictionaryKey(DictionaryKind::kSeries, row.front().id),
              EncodeSeriesRow(row.front().id, row));
  }
}

void Dictionary::CommitStaged() {
  for (PartNumbers::Staged& metric : metrics_.CommitStaged()) {
    index_.AddMetric(metric.number, std::move(metric.labels));
  }
  for (PartNumbers::Staged& target : targets_.CommitStaged()) {
    index_.AddTarget(target.number, std::move(target.labels), target.series_count);
  }
  for (const SeriesEntry& entry : staged_) {
    index_.Add(entry.id, entry.parts);
    infos_.Put(entry.id, {entry.place});
    CountChange(entry.parts);
  }
  NoteChanges(&SeriesChurn::AddAppeared);
  for (const std::span<const SeriesEntry> row : SplitIntoRows(staged_)) {
    rows_.push_back(row.front().id);
  }
  staged_.clear();
  CountBytes(KnownBytes());
}

void Dictionary::RollbackStaged() {
  if (staged_.empty()) return;
  is_in_doubt_ = true;
  absl::flat_hash_map<uint32_t, uint64_t> count_by_job;
  for (const SeriesEntry& entry : staged_) {
    families_.Release(FamilyOf(entry.parts));
    ++count_by_job[targets_.GroupOf(entry.parts.target)];
  }
  GiveBack(count_by_job);
  CountBytes(KnownBytes());
  metrics_.RollbackStaged();
  targets_.RollbackStaged();
  staged_.clear();
}

void Dictionary::CountChange(SeriesParts parts) {
  Change& change = changes_[FamilyOf(parts)];
  change.example = parts;
  ++change.count;
}

void Dictionary::NoteChanges(AddChurn add) {
  if (changes_.empty()) return;
  churn_.Turn(now_ms_());
  for (const auto& [family, change] : changes_) {
    const auto& [target, metric] = change.example;
    (churn_.*add)(JobOf(index_.targets().LabelsOf(target)),
                  index_.metrics().LabelsOf(metric).Get(kMetricName), change.count);
  }
  changes_.clear();
}

// The row that holds the series, by the number in its key.
SeriesId Dictionary::RowOf(SeriesId id) const {
  return *std::prev(std::upper_bound(rows_.begin(), rows_.end(), id));
}

void Dictionary::Remove(std::span<const SeriesId> ids) {
  absl::flat_hash_map<uint32_t, uint64_t> count_by_job;
  for (const SeriesId id : ids) {
    if (!infos_.Has(id)) continue;
    stale_.series_rows.insert(RowOf(id));
    families_.Release(FamilyOf(index_.series().PartsOf(id)));
    infos_.Erase(id);
    CountChange(index_.series().PartsOf(id));
    ++count_by_job[targets_.GroupOf(index_.series().PartsOf(id).target)];
  }
  NoteChanges(&SeriesChurn::AddLeft);
  GiveBack(count_by_job);
  ForgetParts(index_.Remove(ids));
  CountBytes(KnownBytes());
}

void Dictionary::ForgetParts(const SeriesTable::Emptied& parts) {
  targets_.Forget(parts.targets);
  metrics_.Forget(parts.metrics);
  stale_.targets.insert(stale_.targets.end(), parts.targets.begin(), parts.targets.end());
  stale_.metrics.insert(stale_.metrics.end(), parts.metrics.begin(), parts.metrics.end());
}

bool Dictionary::NeedsCleanup() const {
  return !stale_.series_rows.empty() ||
         (!is_in_doubt_ && !(stale_.targets.empty() && stale_.metrics.empty()));
}

std::vector<SeriesEntry> Dictionary::EntriesOfRow(SeriesId row) const {
  const auto next = std::upper_bound(rows_.begin(), rows_.end(), row);
  std::vector<SeriesEntry> entries;
  index_.series().ForEachFrom(row, next == rows_.end() ? UINT32_MAX : *next - 1,
                              [&](SeriesId id, SeriesParts parts) {
                                entries.push_back({id, parts, PlaceOf(id)});
                              });
  return entries;
}

void Dictionary::PutCleanup(kv::Batch& batch) {
  in_cleanup_ = {};
  emptied_rows_.clear();
  for (const SeriesId row : stale_.series_rows) {
    if (batch.byte_count() >= kCleanupBytes) return;
    const std::vector<SeriesEntry> entries = EntriesOfRow(row);
    const std::string key = EncodeDictionaryKey(DictionaryKind::kSeries, row);
    if (entries.empty()) {
      batch.Delete(kv::Space::kSeries, key);
      emptied_rows_.push_back(row);
    } else {
      batch.Put(kv::Space::kSeries, key, EncodeSeriesRow(row, entries));
    }
    in_cleanup_.series_rows.insert(row);
  }
  if (is_in_doubt_) return;
  DeleteParts(batch, DictionaryKind::kTarget, stale_.targets, in_cleanup_.targets);
  DeleteParts(batch, DictionaryKind::kMetric, stale_.metrics, in_cleanup_.metrics);
}

void Dictionary::CommitCleanup() {
  for (const SeriesId row : in_cleanup_.series_rows) stale_.series_rows.erase(row);
  DropFront(stale_.targets, in_cleanup_.targets.size());
  DropFront(stale_.metrics, in_cleanup_.metrics.size());
  in_cleanup_ = {};
  SubtractAndShrink(rows_, emptied_rows_);
  emptied_rows_.clear();
}

void Dictionary::RaiseSealedMax(SeriesId id, int64_t time_ms) {
  infos_[id].sealed_max_ms = std::max(infos_[id].sealed_max_ms, time_ms);
}

void Dictionary::LowerSealedMax(SeriesId id, int64_t time_ms) {
  infos_[id].sealed_max_ms = std::min(infos_[id].sealed_max_ms, time_ms);
}

MetricId Dictionary::LoadMetric(MetricId number, LabelSet labels) {
  if (const std::optional<MetricId> known = index_.metrics().Find(labels.bytes())) {
    metrics_.Skip(number);
    stale_.metrics.push_back(number);
    return *known;
  }
  metrics_.Load(number, labels);
  index_.AddMetric(number, std::move(labels));
  return number;
}

TargetId Dictionary::LoadTarget(TargetId number, LabelSet labels) {
  if (const std::optional<TargetId> known = index_.targets().Find(labels.bytes())) {
    targets_.Skip(number);
    stale_.targets.push_back(number);
    return *known;
  }
  targets_.Load(number, labels);
  index_.AddTarget(number, std::move(labels), 0);
  return number;
}

std::optional<SeriesId> Dictionary::LoadSeries(SeriesId row, const SeriesEntry& entry) {
  if (rows_.empty() || rows_.back() != row) rows_.push_back(row);
  const std::optional<SeriesId> earlier = index_.series().Find(entry.parts);
  if (earlier) {
    stale_.series_rows.insert(RowOf(*earlier));
    families_.Release(FamilyOf(entry.parts));
    infos_.Erase(*earlier);
    index_.Renumber(*earlier, entry.id);
  } else {
    index_.Add(entry.id, entry.parts);
  }
  families_.Load(FamilyOf(entry.parts), entry.place);
  infos_.Put(entry.id, {entry.place});
  next_id_ = entry.id + 1;
  return earlier;
}

void Dictionary::EndLoading() {
  SeriesTable::Emptied unused;
  index_.targets().ForEach([&](TargetId id, const LabelSet& labels) {
    const size_t series_count = index_.series().OfTarget(id).size();
    limit_->Add(JobOf(labels), series_count);
    if (series_count == 0) unused.targets.push_back(id);
  });
  index_.metrics().ForEach([&](MetricId id, const LabelSet&) {
    if (index_.series().OfMetric(id).empty()) unused.metrics.push_back(id);
  });
  index_.RemoveParts(unused);
  ForgetParts(unused);
  CountBytes(KnownBytes());
}

}  // namespace lockstep
