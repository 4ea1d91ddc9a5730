#include "ingest/push/log_streams.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/coding.h"
#include "base/log.h"
#include "ingest/push/push_limits.h"

namespace lockstep::push {

namespace {

constexpr char kRowVersion = 1;

// Splits a row; false if it is malformed.
bool OpenRow(std::string_view row, std::string_view& name, std::string_view& state) {
  if (!row.starts_with(kRowVersion)) return false;
  row.remove_prefix(1);
  if (!GetLengthPrefixed(row, name) || name.empty()) return false;
  state = row;
  return true;
}

}  // namespace

LogStreams::LogStreams(const IngestLimits& limits, size_t max_streams, KeptRows* rows)
    : limits_(limits), max_streams_(max_streams), rows_(rows) {
  const MutexLock lock(mutex_);
  FindKept();
  std::vector<bool> is_used(max_streams_);
  for (const Entry& entry : entries_) is_used[entry.number] = true;
  for (size_t number = max_streams_; number-- > 0;) {
    if (!is_used[number]) free_numbers_.push_back(static_cast<uint32_t>(number));
  }
}

absl::StatusOr<LogStream*> LogStreams::Lend(std::string_view name, const logs::LogHints& hints) {
  if (name.empty() || name.size() > kMaxStreamNameBytes) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "a stream name must have 1 to %d bytes, not %d", kMaxStreamNameBytes, name.size()));
  }
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    if (found->second->is_lent) {
      return absl::AbortedError(
          absl::StrFormat("another push to the stream \"%s\" is in progress", name));
    }
    return LendKnown(found->second, hints);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<LogStream> stream, LogStream::New(hints, limits_));
  const std::optional<uint32_t> number = MakeRoom();
  if (!number.has_value()) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%d streams have a push in progress, which is the limit", max_streams_));
  }
  entries_.push_front({std::string(name), *number, std::move(stream), true, false});
  by_name_.emplace(std::string(name), entries_.begin());
  return entries_.front().stream.get();
}

void LogStreams::Return(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  LOCKSTEP_CHECK(found != by_name_.end() && found->second->is_lent);
  found->second->is_lent = false;
}

void LogStreams::Forget(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  LOCKSTEP_CHECK(found != by_name_.end() && found->second->is_lent);
  const Entries::iterator entry = found->second;
  free_numbers_.push_back(entry->number);
  Forget(entry);
}

size_t LogStreams::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

std::optional<uint32_t> LogStreams::MakeRoom() {
  if (!free_numbers_.empty()) {
    const uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->is_lent) continue;
    const uint32_t number = entry->number;
    Forget(std::next(entry).base());
    return number;
  }
  return std::nullopt;
}

void LogStreams::Forget(Entries::iterator entry) {
  WriteRow(entry->number, "");
  by_name_.erase(entry->name);
  entries_.erase(entry);
}

bool LogStreams::DropQuietest() {
  const MutexLock lock(mutex_);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->is_lent || entry->stream == nullptr) continue;
    if (entry->is_kept) {
      entry->stream.reset();
    } else {
      free_numbers_.push_back(entry->number);
      Forget(std::next(entry).base());
    }
    return true;
  }
  return false;
}

void LogStreams::FindKept() {
  if (rows_ == nullptr) return;
  const absl::StatusOr<std::vector<KeptRow>> rows = rows_->ReadKept(KeptKind::kLogStreams);
  if (!rows.ok()) {
    Log(LogLevel::kError, "cannot read kept log streams", {{"error", Message(rows.status())}});
    return;
  }
  for (const KeptRow& row : *rows) {
    std::string_view state, name;
    if (row.number >= max_streams_ || !OpenRow(row.bytes, name, state)) continue;
    entries_.push_back({std::string(name), row.number, nullptr, false, true});
    by_name_.emplace(std::string(name), std::prev(entries_.end()));
  }
}

absl::StatusOr<std::unique_ptr<LogStream>> LogStreams::Restore(const Entry& entry,
                                                               const logs::LogHints& hints) const {
  const auto row = rows_->ReadKept(KeptKind::kLogStreams, entry.number);
  std::string_view state, name;
  if (row.ok() && row->has_value() && OpenRow(**row, name, state)) {
    absl::StatusOr<std::unique_ptr<LogStream>> stream = LogStream::Restore(state, limits_);
    if (stream.ok()) return stream;
  }
  Log(LogLevel::kError, "cannot read a kept log stream; it starts over", {{"stream", entry.name}});
  return LogStream::New(hints, limits_);
}

absl::StatusOr<LogStream*> LogStreams::LendKnown(Entries::iterator entry,
                                                 const logs::LogHints& hints) {
  if (entry->stream == nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(entry->stream, Restore(*entry, hints));
  }
  entry->is_lent = true;
  // Changes until it is kept again.
  entry->is_kept = false;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->stream.get();
}

void LogStreams::Keep(std::string_view name) {
  if (rows_ == nullptr) return;
  Entry* entry = nullptr;
  {
    const MutexLock lock(mutex_);
    const auto found = by_name_.find(name);
    LOCKSTEP_CHECK(found != by_name_.end() && found->second->is_lent);
    entry = &*found->second;
  }
  // A lent stream stays in place and belongs to the caller.
  std::string bytes(1, kRowVersion);
  PutLengthPrefixed(bytes, name);
  const bool is_whole = entry->stream->AppendState(bytes);
  if (!is_whole) bytes.clear();
  entry->is_kept = WriteRow(entry->number, std::move(bytes)) && is_whole;
}

bool LogStreams::WriteRow(uint32_t number, std::string bytes) const {
  if (rows_ == nullptr) return false;
  const absl::Status status = rows_->WriteKept(KeptKind::kLogStreams, {{number, std::move(bytes)}});
  if (!status.ok()) {
    Log(LogLevel::kWarn, "cannot keep the state of a log stream", {{"error", Message(status)}});
  }
  return status.ok();
}

}  // namespace lockstep::push
