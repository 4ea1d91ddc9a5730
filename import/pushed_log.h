// PushedLog: one log on its way to a server, piece by piece, as docs/http_api.md has it. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/delivery.h"
#include "import/push_answer.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

class PushedLog {
 public:
  enum class Route : uint8_t { kLog, kSteps };

  // `stream` is the server's name for it. The delivery outlives it.
  PushedLog(Delivery& delivery, Route route, std::string stream, const logs::LogHints& hints);

  struct Piece {
    std::string_view bytes;
    uint64_t offset = 0;
    int64_t arrival_ms = 0;  // of records without a time
    bool is_last = false;
  };
  // Fails when the server takes nothing more.
  absl::StatusOr<PushAnswer> Send(const Piece& piece);

 private:
  Delivery& delivery_;
  std::string path_;  // with all parameters that stay the same
};

}  // namespace lockstep::importer
