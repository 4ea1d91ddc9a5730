// LogTail: follows the logs below some folders as they are written, including new, renamed,
// truncated and deleted files. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/delivery/delivery.h"
#include "import/files/input_files.h"
#include "import/tail/tail_state.h"
#include "import/tail/tailed_log.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::tail {

struct TailOptions {
  std::vector<std::string> paths;  // folders; files are followed whatever they contain
  logs::LogHints hints;            // for all logs; override hints from paths
  std::string host;                // part of stream names
};

class LogTail {
 public:
  // The delivery must outlive this object. `state` comes from an earlier run.
  LogTail(TailOptions options, importer::Delivery& delivery, TailState state);

  // Finds logs. Checks a file without a line of a known format again after it has grown.
  void Find(int64_t now_ms);
  // Sends new data of all logs. Fails if the server did not accept something; it is sent next time.
  absl::Status Push(int64_t now_ms);

  TailState state() const;

 private:
  using FileId = std::pair<uint64_t, uint64_t>;  // device and inode

  void Examine(const importer::InputFile& file, int64_t now_ms);
  // The state from an earlier run, if it is still the same log.
  TailedLogState TakeEarlier(const FileId& id);
  absl::Status PushOne(TailedLog& log, int64_t now_ms);
  void Forget(int64_t now_ms);

  const TailOptions options_;
  importer::Delivery& delivery_;
  std::map<FileId, TailedLogState> earlier_;  // of logs not found again yet
  std::map<FileId, std::unique_ptr<TailedLog>> logs_;
  std::map<FileId, int64_t> seen_ms_;     // when a log last had a name
  std::map<FileId, uint64_t> looked_at_;  // size of files without a known format
};

}  // namespace lockstep::tail
