// LogTail: the logs below some folders, followed as they are written: new files, renamed, truncated and deleted
// ones. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/delivery.h"
#include "import/input_files.h"
#include "import/tail/tail_state.h"
#include "import/tail/tailed_log.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::tail {

struct TailOptions {
  std::vector<std::string> paths;  // folders; a file is followed whatever it holds
  logs::LogHints hints;            // of all logs; before those of their paths
  std::string host;                // in the names of streams
};

class LogTail {
 public:
  // The delivery outlives it. `state` is that of an earlier run.
  LogTail(TailOptions options, importer::Delivery& delivery, TailState state);

  // Looks which logs there are. A file without a line of a known format is looked at again when it grew.
  void Find(int64_t now_ms);
  // Sends what is new of all of them. Fails if the server did not take something: it is sent the next time.
  absl::Status Push(int64_t now_ms);

  TailState state() const;

 private:
  using FileId = std::pair<uint64_t, uint64_t>;  // device and inode

  void Examine(const importer::InputFile& file, int64_t now_ms);
  // The state that an earlier run left of it, if it is the same log still.
  TailedLogState TakeEarlier(const FileId& id);
  absl::Status PushOne(TailedLog& log, int64_t now_ms);
  void Forget(int64_t now_ms);

  const TailOptions options_;
  importer::Delivery& delivery_;
  std::map<FileId, TailedLogState> earlier_;  // of logs that were not found again yet
  std::map<FileId, std::unique_ptr<TailedLog>> logs_;
  std::map<FileId, int64_t> seen_ms_;     // when a log was last there under a name
  std::map<FileId, uint64_t> looked_at_;  // size of files that were none of a known format
};

}  // namespace lockstep::tail
