// TailedLog: follows one log, through renames, until its last byte is accepted. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "import/delivery/delivery.h"
#include "import/delivery/pushed_log.h"
#include "import/tail/open_file.h"
#include "import/tail/tail_state.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::tail {

class TailedLog {
 public:
  // `source` names the log for people. `state` comes from an earlier run, or has no stream.
  TailedLog(OpenFile file, std::string source, importer::PushedLog::Route route,
            logs::LogHints hints, std::string host, TailedLogState state);

  // Sends new data. Fails if the server does not accept it now; accepted bytes are not sent again.
  absl::Status Push(importer::Delivery& delivery, int64_t now_ms);
  // Tells the server that the log has ended.
  absl::Status End(importer::Delivery& delivery);

  bool is_at_end() const { return sent_ == size_; }
  // The file is deleted, and everything was accepted.
  bool is_over() const { return is_deleted_ && is_at_end(); }
  // When it last grew or was found.
  int64_t grown_ms() const { return grown_ms_; }
  const std::string& source() const { return source_; }
  const TailedLogState& state() const { return state_; }

 private:
  absl::Status Look(int64_t now_ms);
  // Starts a new stream from the first byte.
  void Begin(int64_t now_ms);
  absl::StatusOr<bool> IsSameLog();
  absl::Status TakeHead();
  absl::StatusOr<importer::PushedLog::Piece> NextPiece();
  // Returns false if the server's stream belongs to another log.
  bool Settle(const importer::PushedLog::Piece& piece, const importer::PushAnswer& answer);

  OpenFile file_;
  const std::string source_;
  const importer::PushedLog::Route route_;
  const logs::LogHints hints_;
  const std::string host_;
  TailedLogState state_;
  uint64_t size_ = 0;
  uint64_t sent_ = 0;  // next offset to send; below the state's offset after a server restart
  bool is_deleted_ = false;
  int64_t grown_ms_ = 0;
  int64_t written_ms_ = 0;  // time of the last write
  std::string bytes_;       // of the current piece
};

}  // namespace lockstep::tail
