// TailedLog: one log that is followed, through renames, until its last byte is taken. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "import/delivery.h"
#include "import/pushed_log.h"
#include "import/tail/open_file.h"
#include "import/tail/tail_state.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::tail {

class TailedLog {
 public:
  // `source` names it for people. `state` is that of an earlier run, or has no stream.
  TailedLog(OpenFile file, std::string source, importer::PushedLog::Route route,
            logs::LogHints hints, std::string host, TailedLogState state);

  // Sends what is new. Fails when the server does not take it now; what it took is not sent again.
  absl::Status Push(importer::Delivery& delivery, int64_t now_ms);
  // Tells the server that nothing follows.
  absl::Status End(importer::Delivery& delivery);

  bool is_at_end() const { return sent_ == size_; }
  // Nobody can write to it any more by its name, and all of it was taken.
  bool is_over() const { return is_deleted_ && is_at_end(); }
  // When it last grew, or was found.
  int64_t grown_ms() const { return grown_ms_; }
  const std::string& source() const { return source_; }
  const TailedLogState& state() const { return state_; }

 private:
  absl::Status Look(int64_t now_ms);
  // A new stream from the first byte on.
  void Begin(int64_t now_ms);
  absl::StatusOr<bool> IsSameLog();
  absl::Status TakeHead();
  absl::StatusOr<importer::PushedLog::Piece> NextPiece();
  // False: another log is behind the server's name for it.
  bool Settle(const importer::PushedLog::Piece& piece, const importer::PushAnswer& answer);

  OpenFile file_;
  const std::string source_;
  const importer::PushedLog::Route route_;
  const logs::LogHints hints_;
  const std::string host_;
  TailedLogState state_;
  uint64_t size_ = 0;
  uint64_t sent_ = 0;  // what is sent next; below the state's offset for a server that restarted
  bool is_deleted_ = false;
  int64_t grown_ms_ = 0;
  int64_t written_ms_ = 0;  // when it was last written to
  std::string bytes_;       // of the piece that is sent
};

}  // namespace lockstep::tail
