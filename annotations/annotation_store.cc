#include "annotations/annotation_store.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_format.h"
#include "annotations/annotation_row.h"
#include "base/log.h"
#include "base/string_map.h"

namespace lockstep::annotations {
namespace {

// Tells which annotations are too old; asks once for each job.
class Horizon {
 public:
  explicit Horizon(const EarliestKeptMs& earliest_kept_ms) : earliest_kept_ms_(earliest_kept_ms) {}

  bool IsTooOld(const Annotation& annotation) {
    if (!earliest_kept_ms_) return false;
    auto [found, is_new] = earliest_ms_.try_emplace(annotation.job, 0);
    if (is_new) found->second = earliest_kept_ms_(annotation.job);
    return TimeOf(annotation, INT64_MAX).max_ms < found->second;
  }

 private:
  const EarliestKeptMs& earliest_kept_ms_;
  StringMap<int64_t> earliest_ms_;
};

std::string RandomId() {
  std::random_device device;
  return absl::StrFormat("%08x%08x", device(), device());
}

bool Has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

bool Matches(const AnnotationFilter& filter, const Annotation& annotation, int64_t now_ms) {
  const TimeRange time = TimeOf(annotation, now_ms);
  if (time.max_ms < filter.time.min_ms || time.min_ms > filter.time.max_ms) return false;
  if (filter.job.has_value() && *filter.job != annotation.job) return false;
  if (filter.may_see.has_value() && !filter.may_see->Matches(annotation.job)) return false;
  if (!filter.kinds.empty() && !Has(filter.kinds, annotation.kind)) return false;
  return std::ranges::all_of(filter.tags,
                             [&](const std::string& tag) { return Has(annotation.tags, tag); });
}

absl::Status TooMany(std::string_view whose, const AnnotationLimits& limits) {
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s may have at most %d annotations of %d bytes together; delete some with DELETE "
      "/api/v1/annotations?id=, or keep them for a shorter time",
      whose, limits.max_count, limits.max_bytes));
}

}  // namespace

AnnotationTotal::AnnotationTotal(const KeptRows* kept, AnnotationLimits limits) : limits_(limits) {
  if (kept == nullptr) return;
  const auto rows = kept->ReadKept(KeptKind::kAnnotations);
  // The caller that loads them reports the error.
  if (!rows.ok()) return;
  const MutexLock lock(mutex_);
  for (const KeptRow& row : *rows) {
    if (row.bytes.empty()) continue;
    ++count_;
    bytes_ += static_cast<int64_t>(row.bytes.size());
  }
}

bool AnnotationTotal::Add(int64_t count, int64_t bytes) {
  const MutexLock lock(mutex_);
  const bool has_room = (count <= 0 || count_ + count <= static_cast<int64_t>(limits_.max_count)) &&
                        (bytes <= 0 || bytes_ + bytes <= static_cast<int64_t>(limits_.max_bytes));
  if (!has_room) return false;
  count_ += count;
  bytes_ += bytes;
  return true;
}

AnnotationStore::AnnotationStore(KeptRows* rows, AnnotationTotal& total,
                                 EarliestKeptMs earliest_kept_ms, AnnotationLimits limits)
    : rows_(rows),
      total_(total),
      earliest_kept_ms_(std::move(earliest_kept_ms)),
      limits_(limits),
      state_(Load(rows)) {
  // If there is no memory for them now, the next change asks again.
  static_cast<void>(memory_.Resize(static_cast<uint64_t>(state_.memory_bytes)));
}

AnnotationStore::State AnnotationStore::Load(const KeptRows* rows) {
  State state;
  if (rows == nullptr) return state;
  const absl::StatusOr<std::vector<KeptRow>> kept = rows->ReadKept(KeptKind::kAnnotations);
  if (!kept.ok()) {
    Log(LogLevel::kError, "cannot read kept annotations", {{"error", Message(kept.status())}});
    return state;
  }
  for (const KeptRow& row : *kept) {
    if (row.bytes.empty()) continue;
    while (state.next_number < row.number) state.free_numbers.push_back(state.next_number++);
    state.next_number = row.number + 1;
    auto annotation = std::make_shared<Annotation>();
    if (!DecodeAnnotation(row.bytes, *annotation)) {
      Log(LogLevel::kError, "a kept annotation is damaged; ignoring it", {{"row", row.number}});
      continue;
    }
    const auto row_bytes = static_cast<int64_t>(row.bytes.size());
    state.row_bytes += row_bytes;
    state.memory_bytes += BytesOf(*annotation);
    Key key(annotation->job, annotation->id);
    state.entries.insert_or_assign(std::move(key),
                                   Entry{row.number, row_bytes, std::move(annotation)});
  }
  return state;
}

const AnnotationStore::Entry* AnnotationStore::Find(const Key& key) const {
  const auto found = state_.entries.find(key);
  return found == state_.entries.end() ? nullptr : &found->second;
}

absl::StatusOr<std::vector<AnnotationStore::Changed>> AnnotationStore::Plan(
    std::vector<AnnotationChange>& changes, int64_t now_ms) const {
  std::vector<Changed> plan;
  std::map<Key, size_t> planned;
  Horizon horizon(earliest_kept_ms_);
  size_t new_count = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    AnnotationChange& change = changes[i];
    if (change.id.empty()) change.id = RandomId();
    const Key key(change.job, change.id);
    const auto [place, is_first] = planned.try_emplace(key, plan.size());
    const Entry* const known = is_first ? Find(key) : &plan[place->second].entry;
    absl::StatusOr<Annotation> applied =
        Apply(change, known == nullptr ? nullptr : known->annotation.get(), now_ms);
    absl::Status status = applied.status();
    if (status.ok() && horizon.IsTooOld(*applied)) {
      status = absl::InvalidArgumentError("the annotation is older than samples are kept");
    }
    if (!status.ok()) {
      const std::string number = absl::StrFormat("annotation %d", i + 1);
      return changes.size() == 1 ? status : Annotate(status, number);
    }
    if (is_first) {
      Changed& added = plan.emplace_back(Changed{key, known == nullptr, {}, ""});
      if (known != nullptr) added.entry = *known;
      if (known == nullptr) added.entry.number = FreeNumber(new_count++);
    }
    Changed& changed = plan[place->second];
    changed.entry.annotation = std::make_shared<const Annotation>(*std::move(applied));
    changed.row = EncodeAnnotation(*changed.entry.annotation);
    changed.entry.row_bytes = static_cast<int64_t>(changed.row.size());
  }
  return plan;
}

uint32_t AnnotationStore::FreeNumber(size_t index) const {
  if (index < state_.free_numbers.size())
    return state_.free_numbers[state_.free_numbers.size() - 1 - index];
  return state_.next_number + static_cast<uint32_t>(index - state_.free_numbers.size());
}

AnnotationStore::Cost AnnotationStore::CostOf(const std::vector<Changed>& plan) const {
  Cost cost;
  for (const Changed& changed : plan) {
    cost.count += changed.is_new ? 1 : 0;
    cost.row_bytes += changed.entry.row_bytes;
    cost.memory_bytes += BytesOf(*changed.entry.annotation);
    const Entry* const known = Find(changed.key);
    if (known == nullptr) continue;
    cost.row_bytes -= known->row_bytes;
    cost.memory_bytes -= BytesOf(*known->annotation);
  }
  return cost;
}

absl::Status AnnotationStore::Charge(const Cost& cost) {
  const auto count = static_cast<int64_t>(state_.entries.size()) + cost.count;
  const bool is_full = (cost.count > 0 && count > static_cast<int64_t>(limits_.max_count)) ||
                       (cost.row_bytes > 0 && state_.row_bytes + cost.row_bytes >
                                                  static_cast<int64_t>(limits_.max_bytes));
  if (is_full) return TooMany("a tenant", limits_);
  if (!total_.Add(cost.count, cost.row_bytes)) {
    return TooMany("all tenants together", total_.limits());
  }
  const absl::Status fits =
      memory_.Resize(static_cast<uint64_t>(state_.memory_bytes + cost.memory_bytes));
  if (!fits.ok()) {
    static_cast<void>(total_.Add(-cost.count, -cost.row_bytes));
    return fits;
  }
  state_.row_bytes += cost.row_bytes;
  state_.memory_bytes += cost.memory_bytes;
  return absl::OkStatus();
}

void AnnotationStore::Release(const Cost& cost) {
  static_cast<void>(total_.Add(-cost.count, -cost.row_bytes));
  state_.row_bytes -= cost.row_bytes;
  state_.memory_bytes -= cost.memory_bytes;
  static_cast<void>(memory_.Resize(static_cast<uint64_t>(state_.memory_bytes)));
}

absl::Status AnnotationStore::WriteRows(const std::vector<KeptRow>& rows) const {
  return rows_ == nullptr ? absl::OkStatus() : rows_->WriteKept(KeptKind::kAnnotations, rows);
}

absl::StatusOr<std::vector<AnnotationPtr>> AnnotationStore::Put(
    std::vector<AnnotationChange> changes, int64_t now_ms) {
  const MutexLock lock(mutex_);
  Expire();
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Changed> plan, Plan(changes, now_ms));
  const Cost cost = CostOf(plan);
  LOCKSTEP_RETURN_IF_ERROR(Charge(cost));
  std::vector<KeptRow> rows;
  for (Changed& changed : plan) rows.push_back({changed.entry.number, std::move(changed.row)});
  if (absl::Status written = WriteRows(rows); !written.ok()) {
    Release(cost);
    return written;
  }
  for (Changed& changed : plan) {
    if (changed.is_new) TakeNumber();
    state_.entries[changed.key] = changed.entry;
  }
  std::vector<AnnotationPtr> results;
  for (const AnnotationChange& change : changes) {
    results.push_back(state_.entries[{change.job, change.id}].annotation);
  }
  return results;
}

void AnnotationStore::TakeNumber() {
  if (state_.free_numbers.empty()) {
    ++state_.next_number;
  } else {
    state_.free_numbers.pop_back();
  }
}

absl::Status AnnotationStore::Delete(std::string_view id, const std::optional<std::string>& job,
                                     const std::optional<Matcher>& may_see) {
  const MutexLock lock(mutex_);
  std::vector<Entries::iterator> found;
  for (auto entry = state_.entries.begin(); entry != state_.entries.end(); ++entry) {
    const auto& [job_of_entry, id_of_entry] = entry->first;
    if (id_of_entry != id || (job.has_value() && *job != job_of_entry)) continue;
    if (may_see.has_value() && !may_see->Matches(job_of_entry)) continue;
    found.push_back(entry);
  }
  if (found.empty())
    return absl::NotFoundError(absl::StrFormat("no annotation has the id \"%s\"", id));
  if (found.size() > 1) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d jobs have an annotation with the id \"%s\"; name one of them with job=", found.size(),
        id));
  }
  return Erase(found);
}

absl::Status AnnotationStore::Erase(const std::vector<Entries::iterator>& entries) {
  if (entries.empty()) return absl::OkStatus();
  std::vector<KeptRow> rows;
  for (const auto& entry : entries) rows.push_back({entry->second.number, ""});
  LOCKSTEP_RETURN_IF_ERROR(WriteRows(rows));
  Cost cost;
  for (const auto& entry : entries) {
    state_.free_numbers.push_back(entry->second.number);
    ++cost.count;
    cost.row_bytes += entry->second.row_bytes;
    cost.memory_bytes += BytesOf(*entry->second.annotation);
    state_.entries.erase(entry);
  }
  Release(cost);
  return absl::OkStatus();
}

void AnnotationStore::Expire() {
  Horizon horizon(earliest_kept_ms_);
  std::vector<Entries::iterator> old;
  for (auto entry = state_.entries.begin(); entry != state_.entries.end(); ++entry) {
    if (horizon.IsTooOld(*entry->second.annotation)) old.push_back(entry);
  }
  if (const absl::Status erased = Erase(old); !erased.ok()) {
    Log(LogLevel::kWarn, "cannot delete old annotations", {{"error", Message(erased)}});
  }
}

AnnotationList AnnotationStore::List(const AnnotationFilter& filter, int64_t now_ms) const {
  AnnotationList list;
  {
    Horizon horizon(earliest_kept_ms_);
    const MutexLock lock(mutex_);
    for (const auto& [key, entry] : state_.entries) {
      if (!Matches(filter, *entry.annotation, now_ms)) continue;
      if (!horizon.IsTooOld(*entry.annotation)) list.annotations.push_back(entry.annotation);
    }
  }
  KeepLatest(filter.max_count, list);
  return list;
}

void KeepLatest(size_t max_count, AnnotationList& list) {
  std::vector<AnnotationPtr>& all = list.annotations;
  std::ranges::stable_sort(all, {}, [](const AnnotationPtr& one) { return one->start_ms; });
  list.matching_count = all.size();
  if (all.size() <= max_count) return;
  all.erase(all.begin(), all.end() - static_cast<ptrdiff_t>(max_count));
}

}  // namespace lockstep::annotations
