// A write-ahead log that is gone, or that has lost its end, looks to RocksDB like one that was
// never longer. So the store writes beside its logs, in LOG-MARK, how much of each was synced, and
// what was synced may have been acknowledged. On disk: docs/formats/keys.md; why:
// docs/adr/0022-marks-of-logs.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/kv/env.h"

namespace rocksdb {
class FSRandomRWFile;
}  // namespace rocksdb

namespace lockstep::kv {

inline constexpr std::string_view kLogMarkFile = "LOG-MARK";

// How much of a log is on disk for certain.
struct SyncedLog {
  uint64_t number = 0;
  uint64_t byte_count = 0;

  friend bool operator==(const SyncedLog&, const SyncedLog&) = default;
};

// "000123.log", as RocksDB calls it.
std::string LogName(uint64_t number);
// nullopt for the name of any other file.
std::optional<uint64_t> NumberOfLog(std::string_view name);

// A line of the file, each as long as the next, so that one can be written over.
std::string FormatLogMarkHeading(std::string_view manifest);
std::string FormatLogMarkLine(const SyncedLog& log);

// What the mark in `folder` says of the logs that belong to `manifest`, the MANIFEST in use;
// nothing if it is about another one, or if there is no mark. A line that is damaged, which a power
// cut can do to one that was just being written, is left out with a warning.
absl::StatusOr<std::vector<SyncedLog>> ReadLogMark(const Env& env, const std::string& folder,
                                                   std::string_view manifest);

// Keeps the mark of a store that is open. Safe from any thread.
class LogMarker {
 public:
  LogMarker(std::shared_ptr<Env> env, std::string folder, std::vector<SyncedLog> logs);
  ~LogMarker();
  LogMarker(const LogMarker&) = delete;
  LogMarker& operator=(const LogMarker&) = delete;

  // Until then nothing is written, and the file, which names the MANIFEST before, says nothing.
  absl::Status Start(std::string_view manifest);
  // RocksDB has gone on to another MANIFEST. If this cannot be written the next start checks
  // nothing.
  void SetManifest(std::string_view manifest);
  // Does not wait for the disk, and may fail: then the next start asks for less than it could.
  void Synced(const SyncedLog& log);
  // The log may go once this has returned.
  absl::Status Forget(uint64_t number);

 private:
  absl::Status WriteLine(size_t line, const std::string& text) LOCKSTEP_REQUIRES(mutex_);
  absl::Status WriteSynced(size_t line, const std::string& text) LOCKSTEP_REQUIRES(mutex_);
  size_t LineOf(uint64_t number) LOCKSTEP_REQUIRES(mutex_);

  const std::shared_ptr<Env> env_;
  const std::string folder_;

  Mutex mutex_;
  std::string manifest_ LOCKSTEP_GUARDED_BY(mutex_);
  // By lines, the heading not among them; number 0 where a line is free.
  std::vector<SyncedLog> logs_ LOCKSTEP_GUARDED_BY(mutex_);
  std::unique_ptr<rocksdb::FSRandomRWFile> file_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::kv
