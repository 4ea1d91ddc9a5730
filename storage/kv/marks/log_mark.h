// To RocksDB, a write-ahead log that is missing or has lost its end looks like one that was never
// longer. So the store records next to its logs, in LOG-MARK, how much of each was synced; what was
// synced may have been acknowledged. On disk: docs/formats/keys.md; why:
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
#include "storage/kv/files/env.h"

namespace rocksdb {
class FSRandomRWFile;
}  // namespace rocksdb

namespace lockstep::kv {

inline constexpr std::string_view kLogMarkFile = "LOG-MARK";

// How much of a log is certainly on disk.
struct SyncedLog {
  uint64_t number = 0;
  uint64_t byte_count = 0;

  friend bool operator==(const SyncedLog&, const SyncedLog&) = default;
};

// "000123.log", RocksDB's name for it.
std::string LogName(uint64_t number);
// nullopt for any other file name.
std::optional<uint64_t> NumberOfLog(std::string_view name);

// The lines of the file. All have the same length, so that a line can be overwritten.
std::string FormatLogMarkHeading(std::string_view manifest);
std::string FormatLogMarkLine(const SyncedLog& log);

// The logs that the mark in `folder` lists for `manifest`, the MANIFEST in use; nothing if the mark
// belongs to another MANIFEST or does not exist. A damaged line, which a power cut can leave of one
// that was just being written, is skipped with a warning.
absl::StatusOr<std::vector<SyncedLog>> ReadLogMark(const Env& env, const std::string& folder,
                                                   std::string_view manifest);

// Maintains the mark of an open store. Safe from any thread.
class LogMarker {
 public:
  LogMarker(std::shared_ptr<Env> env, std::string folder, std::vector<SyncedLog> logs);
  ~LogMarker();
  LogMarker(const LogMarker&) = delete;
  LogMarker& operator=(const LogMarker&) = delete;

  // Before this call nothing is written, and the file, which still names the previous MANIFEST, has
  // no effect.
  absl::Status Start(std::string_view manifest);
  // Call it when RocksDB has switched to another MANIFEST. If the change cannot be written, the
  // next start checks nothing.
  void SetManifest(std::string_view manifest);
  // Does not wait for the disk, and may fail: then the next start requires less than it could.
  void Synced(const SyncedLog& log);
  // The log may be deleted once this has returned.
  absl::Status Forget(uint64_t number);

 private:
  absl::Status WriteLine(size_t line, const std::string& text) LOCKSTEP_REQUIRES(mutex_);
  absl::Status WriteSynced(size_t line, const std::string& text) LOCKSTEP_REQUIRES(mutex_);
  size_t LineOf(uint64_t number) LOCKSTEP_REQUIRES(mutex_);

  const std::shared_ptr<Env> env_;
  const std::string folder_;

  Mutex mutex_;
  std::string manifest_ LOCKSTEP_GUARDED_BY(mutex_);
  // One entry per line, without the heading; number 0 means that the line is free.
  std::vector<SyncedLog> logs_ LOCKSTEP_GUARDED_BY(mutex_);
  std::unique_ptr<rocksdb::FSRandomRWFile> file_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::kv
