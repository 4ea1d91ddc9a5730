#include "hang/kept/kept_dumps.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/log.h"
#include "hang/record/record_coding.h"

namespace lockstep::hang {

absl::Status DumpTotal::Load() {
  const MutexLock lock(mutex_);
  if (is_loaded_ || kept_ == nullptr) return absl::OkStatus();
  int64_t all = 0;
  LOCKSTEP_RETURN_IF_ERROR(
      kept_->VisitKept(KeptKind::kDumps, 0, UINT32_MAX, [&all](uint32_t, std::string_view bytes) {
        all += static_cast<int64_t>(bytes.size());
        return absl::OkStatus();
      }));
  bytes_ = all;
  is_loaded_ = true;
  return absl::OkStatus();
}

bool DumpTotal::Add(int64_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > 0 && bytes_ + bytes > static_cast<int64_t>(max_bytes_)) return false;
  bytes_ += bytes;
  return true;
}

KeptDumps::KeptDumps(KeptRows* rows, DumpLimits limits, DumpTotal* total)
    : rows_(rows), limits_(limits), total_(total), is_used_(limits.max_records) {}

// On first use, so that tenants which nobody sends dumps to do not read them.
absl::Status KeptDumps::Load() const {
  if (is_loaded_ || rows_ == nullptr) return absl::OkStatus();
  if (total_ != nullptr) LOCKSTEP_RETURN_IF_ERROR(total_->Load());
  Entries entries;
  std::vector<bool> is_used(limits_.max_records);
  uint64_t all_bytes = 0;
  const auto take = [&](uint32_t row, std::string_view bytes) {
    RecordHead head;
    if (row >= limits_.max_records || !DecodeRecordHead(bytes, head)) return absl::OkStatus();
    const auto size = static_cast<uint32_t>(bytes.size());
    const auto [entry, is_new] = entries.try_emplace(
        Key{head.job, head.rank}, Entry{.row = row, .kept_ms = head.kept_ms, .size = size});
    // Two rows of one rank: only after a crash of another version. The first one is as good.
    if (!is_new) return absl::OkStatus();
    is_used[row] = true;
    all_bytes += size;
    return absl::OkStatus();
  };
  LOCKSTEP_RETURN_IF_ERROR(rows_->VisitKept(KeptKind::kDumps, 0, UINT32_MAX, take));
  entries_ = std::move(entries);
  is_used_ = std::move(is_used);
  bytes_ = all_bytes;
  is_loaded_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::string> KeptDumps::BytesOf(const Entry& entry) const {
  if (rows_ == nullptr) return entry.bytes;
  LOCKSTEP_ASSIGN_OR_RETURN(std::optional<std::string> bytes,
                            rows_->ReadKept(KeptKind::kDumps, entry.row));
  return std::move(bytes).value_or("");
}

absl::Status KeptDumps::Complete(const Key& key, RankRecord& record) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(found->second));
  NamedRecord kept;
  if (!DecodeRecord(bytes, kept)) return absl::OkStatus();
  if (!record.has_dump()) {
    RankRecord joined = std::move(kept.record);
    joined.stack = std::move(record.stack);
    joined.stack_ms = record.stack_ms;
    if (!record.host.empty()) joined.host = record.host;
    record = std::move(joined);
  } else if (record.stack.empty()) {
    record.stack = std::move(kept.record.stack);
    record.stack_ms = kept.record.stack_ms;
  }
  return absl::OkStatus();
}

namespace {

// Whether `record` is evidence of an earlier moment than the kept one of its kind. Operations'
// times decide where they are known: files are copied and sent late. But none is later than its
// arrival: a clock that was ahead must not keep out what comes once it is right.
bool IsOlder(const RankRecord& record, const RankRecord& kept, int64_t now_ms) {
  if (!record.has_dump()) return record.stack_ms < kept.stack_ms;
  if (!kept.has_dump()) return false;
  const int64_t newest_ms = std::min(record.newest_ms, now_ms);
  const bool is_known = newest_ms > 0 && kept.newest_ms > 0 && kept.newest_ms <= kept.kept_ms;
  if (is_known && newest_ms != kept.newest_ms) return newest_ms < kept.newest_ms;
  return record.dump_ms < kept.dump_ms;
}

}  // namespace

absl::StatusOr<PutResult> KeptDumps::Put(std::string_view job, RankRecord record, int64_t now_ms) {
  LOCKSTEP_CHECK(!job.empty());
  const MutexLock lock(mutex_);
  LOCKSTEP_RETURN_IF_ERROR(Load());
  LOCKSTEP_RETURN_IF_ERROR(DropExpired(now_ms));
  const Key key{std::string(job), record.rank};
  PutResult result{.operations = record.operations.size()};
  uint64_t replaced = 0;
  if (const auto found = entries_.find(key); found != entries_.end()) {
    replaced = found->second.size;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(found->second));
    NamedRecord kept;
    if (DecodeRecord(bytes, kept) && IsOlder(record, kept.record, now_ms)) {
      result.is_older = true;
      return result;
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(Complete(key, record));
  record.kept_ms = now_ms;
  std::string bytes = EncodeRecord(job, std::move(record));
  LOCKSTEP_RETURN_IF_ERROR(MakeRoom(key, bytes.size()));
  const int64_t more = static_cast<int64_t>(bytes.size()) - static_cast<int64_t>(replaced);
  LOCKSTEP_RETURN_IF_ERROR(TakeOfTotal(key, more));
  const absl::Status written = Write(key, std::move(bytes), now_ms);
  if (!written.ok()) {
    if (total_ != nullptr) static_cast<void>(total_->Add(-more));
    return written;
  }
  return result;
}

absl::Status KeptDumps::TakeOfTotal(const Key& key, int64_t bytes) {
  while (total_ != nullptr && !total_->Add(bytes)) {
    const auto oldest = Oldest("", key);
    if (oldest == entries_.end()) {
      return absl::ResourceExhaustedError(absl::StrFormat(
          "a dump of %d bytes does not fit: the dumps of all tenants together may have at most %d",
          bytes, total_->max_bytes()));
    }
    LOCKSTEP_RETURN_IF_ERROR(Drop(oldest));
  }
  return absl::OkStatus();
}

absl::Status KeptDumps::Write(const Key& key, std::string bytes, int64_t kept_ms) {
  const auto size = static_cast<uint32_t>(bytes.size());
  const auto found = entries_.find(key);
  uint32_t row = 0;
  if (found != entries_.end()) {
    row = found->second.row;
  } else {
    const auto free = std::ranges::find(is_used_, false);
    LOCKSTEP_CHECK(free != is_used_.end());
    row = static_cast<uint32_t>(free - is_used_.begin());
  }
  if (rows_ != nullptr) {
    LOCKSTEP_RETURN_IF_ERROR(rows_->WriteKept(KeptKind::kDumps, {{row, std::move(bytes)}}));
    bytes.clear();
  }
  if (found != entries_.end()) bytes_ -= found->second.size;
  is_used_[row] = true;
  bytes_ += size;
  entries_.insert_or_assign(
      key, Entry{.row = row, .kept_ms = kept_ms, .size = size, .bytes = std::move(bytes)});
  return absl::OkStatus();
}

absl::Status KeptDumps::DropExpired(int64_t now_ms) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.kept_ms < now_ms - kMaxAgeMs) LOCKSTEP_RETURN_IF_ERROR(Drop(entry));
    entry = next;
  }
  return absl::OkStatus();
}

absl::Status KeptDumps::MakeRoom(const Key& key, uint64_t bytes) {
  const auto replaced = entries_.find(key);
  const size_t own = replaced == entries_.end() ? 0 : 1;
  const uint64_t own_bytes = own == 0 ? 0 : replaced->second.size;
  while (CountOf(key.first) - own >= limits_.max_records_of_job) {
    LOCKSTEP_RETURN_IF_ERROR(Drop(Oldest(key.first, key)));
  }
  while (entries_.size() > own && (entries_.size() - own >= limits_.max_records ||
                                   bytes_ - own_bytes + bytes > limits_.max_bytes)) {
    LOCKSTEP_RETURN_IF_ERROR(Drop(Oldest("", key)));
  }
  return absl::OkStatus();
}

absl::Status KeptDumps::Drop(Entries::iterator entry) {
  LOCKSTEP_CHECK(entry != entries_.end());
  if (rows_ != nullptr) {
    LOCKSTEP_RETURN_IF_ERROR(rows_->WriteKept(KeptKind::kDumps, {{entry->second.row, ""}}));
  }
  if (total_ != nullptr) static_cast<void>(total_->Add(-int64_t{entry->second.size}));
  is_used_[entry->second.row] = false;
  bytes_ -= entry->second.size;
  entries_.erase(entry);
  return absl::OkStatus();
}

size_t KeptDumps::CountOf(std::string_view job) const {
  size_t count = 0;
  for (auto entry = entries_.lower_bound(Key{std::string(job), 0});
       entry != entries_.end() && entry->first.first == job; ++entry) {
    ++count;
  }
  return count;
}

KeptDumps::Entries::iterator KeptDumps::Oldest(std::string_view job, const Key& spared) {
  auto oldest = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if ((!job.empty() && entry->first.first != job) || entry->first == spared) continue;
    const bool is_older =
        oldest == entries_.end() || entry->second.kept_ms < oldest->second.kept_ms;
    if (is_older) oldest = entry;
  }
  return oldest;
}

absl::StatusOr<std::vector<RankRecord>> KeptDumps::Read(std::string_view job, int64_t now_ms,
                                                        MemoryCharge& memory) const {
  const MutexLock lock(mutex_);
  LOCKSTEP_RETURN_IF_ERROR(Load());
  std::vector<RankRecord> records;
  for (auto entry = entries_.lower_bound(Key{std::string(job), 0});
       entry != entries_.end() && entry->first.first == job; ++entry) {
    if (entry->second.kept_ms < now_ms - kMaxAgeMs) continue;
    LOCKSTEP_RETURN_IF_ERROR(memory.Add(entry->second.size));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(entry->second));
    NamedRecord named;
    if (!DecodeRecord(bytes, named)) {
      Log(LogLevel::kError, "cannot read a kept dump; it is left out", {{"job", named.job}});
      continue;
    }
    LOCKSTEP_RETURN_IF_ERROR(memory.Add(BytesInMemory(named.record)));
    records.push_back(std::move(named.record));
  }
  return records;
}

}  // namespace lockstep::hang
