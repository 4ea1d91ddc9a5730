// LogStreams: the logs that are being pushed, by name.
//
// Safe from any thread. A stream is lent to one push at a time. How far each was taken is kept in the store, if there is one
// to keep it: a stream goes on where it was after a restart of the server.
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
#include "ingest/limits.h"
#include "ingest/logs/log_hints.h"
#include "ingest/push/log_stream.h"
#include "storage/kept_rows.h"

namespace lockstep::push {

class LogStreams {
 public:
  // Knows the streams that `rows` has. It outlives the streams; null: nothing is kept.
  LogStreams(const IngestLimits& limits, size_t max_streams, KeptRows* rows);

  // The stream `name`, made with `hints` if it is new. Errors:
  //   kInvalidArgument  no name, one that is too long, or a format that nobody knows
  //   kAborted          another push of the stream is under way
  //   kResourceExhausted  too many streams have a push under way
  absl::StatusOr<LogStream*> Lend(std::string_view name, const logs::LogHints& hints);
  // Keeps the stream as it is, to be called when what it told to be stored is. Precondition: lent.
  void Keep(std::string_view name);
  // Takes the stream that was quiet for longest out of memory, that others have room. What its row does not keep is
  // forgotten. False if all in memory are lent.
  bool DropQuietest();
  // Precondition: lent. The stream is not used by the caller from here on.
  void Return(std::string_view name);
  // Likewise, and the stream begins anew.
  void Forget(std::string_view name);

  size_t size() const;

 private:
  struct Entry {
    std::string name;
    uint32_t number = 0;                // of its row
    std::unique_ptr<LogStream> stream;  // null: in its row
    bool is_lent = false;
    bool is_kept = false;  // its row says all of it
  };
  using Entries = std::list<Entry>;

  void FindKept() LOCKSTEP_REQUIRES(mutex_);
  // The stream in the row of `entry`, or a new one if there is none that can be read.
  absl::StatusOr<std::unique_ptr<LogStream>> Restore(const Entry& entry,
                                                     const logs::LogHints& hints) const;
  absl::StatusOr<LogStream*> LendKnown(Entries::iterator entry, const logs::LogHints& hints)
      LOCKSTEP_REQUIRES(mutex_);
  // A number for a new stream; nothing if all streams are lent.
  std::optional<uint32_t> MakeRoom() LOCKSTEP_REQUIRES(mutex_);
  // Whether the row is there.
  bool WriteRow(uint32_t number, std::string bytes) const;
  void Forget(Entries::iterator entry) LOCKSTEP_REQUIRES(mutex_);

  const IngestLimits limits_;
  const size_t max_streams_;
  KeptRows* const rows_;
  mutable Mutex mutex_;
  Entries entries_ LOCKSTEP_GUARDED_BY(mutex_);  // the one used last is in front
  StringMap<Entries::iterator> by_name_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<uint32_t> free_numbers_ LOCKSTEP_GUARDED_BY(mutex_);  // the lowest last
};

}  // namespace lockstep::push
