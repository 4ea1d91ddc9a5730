// LogStreams: the logs that are being pushed, by name.
//
// Safe from any thread. A stream is lent to one push at a time.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ingest/limits.h"
#include "ingest/logs/log_hints.h"
#include "ingest/push/log_stream.h"

namespace lockstep::push {

class LogStreams {
 public:
  explicit LogStreams(const IngestLimits& limits, size_t max_streams)
      : limits_(limits), max_streams_(max_streams) {}

  // The stream `name`, made with `hints` if it is new. Errors:
  //   kInvalidArgument  no name, one that is too long, or a format that nobody knows
  //   kAborted          another push of the stream is under way
  //   kResourceExhausted  too many streams have a push under way
  absl::StatusOr<LogStream*> Lend(std::string_view name, const logs::LogHints& hints);
  // Precondition: lent. The stream is not used by the caller from here on.
  void Return(std::string_view name);

  size_t size() const;

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<LogStream> stream;
    bool is_lent = false;
  };
  using Entries = std::list<Entry>;

  // False if all streams are lent.
  bool MakeRoom() LOCKSTEP_REQUIRES(mutex_);

  const IngestLimits limits_;
  const size_t max_streams_;
  mutable Mutex mutex_;
  Entries entries_ LOCKSTEP_GUARDED_BY(mutex_);  // the one used last is in front
  StringMap<Entries::iterator> by_name_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::push
