#include "ingest/push/log_streams.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "ingest/push/push_limits.h"

namespace lockstep::push {

absl::StatusOr<LogStream*> LogStreams::Lend(std::string_view name, const logs::LogHints& hints) {
  if (name.empty() || name.size() > kMaxStreamNameBytes) {
    return absl::InvalidArgumentError(absl::StrFormat("a stream's name has 1 to %d bytes, not %d",
                                                      kMaxStreamNameBytes, name.size()));
  }
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    Entry& entry = *found->second;
    if (entry.is_lent) {
      return absl::AbortedError(
          absl::StrFormat("another push of the stream \"%s\" is under way", name));
    }
    entry.is_lent = true;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entry.stream.get();
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<LogStream> stream, LogStream::New(hints, limits_));
  if (!MakeRoom()) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%d streams have a push under way, which is the limit", max_streams_));
  }
  entries_.push_front({std::string(name), std::move(stream), true});
  by_name_.emplace(std::string(name), entries_.begin());
  return entries_.front().stream.get();
}

void LogStreams::Return(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  LOCKSTEP_CHECK(found != by_name_.end() && found->second->is_lent);
  found->second->is_lent = false;
}

size_t LogStreams::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

bool LogStreams::MakeRoom() {
  if (entries_.size() < max_streams_) return true;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->is_lent) continue;
    by_name_.erase(entry->name);
    entries_.erase(std::next(entry).base());
    return true;
  }
  return false;
}

}  // namespace lockstep::push
