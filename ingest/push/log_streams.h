// LogStreams: the logs being pushed, by name.
//
// Thread-safe. A stream is lent to one push at a time. The streams' progress is kept in the store,
// if there is one, so streams continue after a restart of the server.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/push/log_stream.h"
#include "ingest/write/limits.h"
#include "storage/kept_rows.h"

namespace lockstep::push {

class LogStreams {
 public:
  // Loads the streams in `rows`, which must outlive this object; null: nothing is kept.
  LogStreams(const IngestLimits& limits, size_t max_streams, KeptRows* rows);

  // The stream `name`, created with `hints` if new. Errors:
  //   kInvalidArgument  an empty or overlong name, or an unknown format
  //   kAborted          another push to the stream is in progress
  //   kResourceExhausted  too many streams have a push in progress
  absl::StatusOr<LogStream*> Lend(std::string_view name, const logs::LogHints& hints);
  // Keeps the stream's current state. Call once its samples are stored. Precondition: lent.
  void Keep(std::string_view name);
  // Evicts the longest-idle stream from memory to make room. State that is not in its row is lost.
  // False if all streams in memory are lent.
  bool DropQuietest();
  // Precondition: lent. The caller must not use the stream afterwards.
  void Return(std::string_view name);
  // Like Return(), but the stream starts over.
  void Forget(std::string_view name);

  size_t size() const;

 private:
  struct Entry {
    std::string name;
    uint32_t number = 0;                // of its row
    std::unique_ptr<LogStream> stream;  // null: only in its row
    bool is_lent = false;
    bool is_kept = false;  // its row is up to date
  };
  using Entries = std::list<Entry>;

  void FindKept() LOCKSTEP_REQUIRES(mutex_);
  // Restores the stream from the row of `entry`, or creates a new one if it cannot be decoded.
  absl::StatusOr<std::unique_ptr<LogStream>> Restore(const Entry& entry,
                                                     const logs::LogHints& hints) const;
  absl::StatusOr<LogStream*> LendKnown(Entries::iterator entry, const logs::LogHints& hints)
      LOCKSTEP_REQUIRES(mutex_);
  // A number for a new stream; nothing if all streams are lent.
  std::optional<uint32_t> MakeRoom() LOCKSTEP_REQUIRES(mutex_);
  // Whether the row was written.
  bool WriteRow(uint32_t number, std::string bytes) const;
  void Forget(Entries::iterator entry) LOCKSTEP_REQUIRES(mutex_);

  const IngestLimits limits_;
  const size_t max_streams_;
  KeptRows* const rows_;
  mutable Mutex mutex_;
  Entries entries_ LOCKSTEP_GUARDED_BY(mutex_);  // most recently used first
  StringMap<Entries::iterator> by_name_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<uint32_t> free_numbers_ LOCKSTEP_GUARDED_BY(mutex_);  // lowest last
};

}  // namespace lockstep::push
