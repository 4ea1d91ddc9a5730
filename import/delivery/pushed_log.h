// PushedLog: sends one log to a server piece by piece, and reads its answers, as described in
// docs/http_api.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/delivery/delivery.h"
#include "import/delivery/sample_fates.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {

// The server's answer to a pushed piece of a log or steps.
struct PushAnswer {
  uint64_t next_offset = 0;  // where the stream continues
  bool is_gap = false;  // nothing was taken: earlier bytes are missing, or the stream has ended
  std::string format;
  uint64_t refused_samples = 0;
  std::string refused;  // description of refused samples
  // What happened to the samples; nothing if the server does not say.
  std::optional<SampleFates> fates{};
};

// Nothing if `body`, with this status, contains no offset.
std::optional<PushAnswer> ReadPushAnswer(int status, std::string_view body);

// Not thread-safe.
class PushedLog {
 public:
  enum class Route : uint8_t { kLog, kSteps };

  // `stream` is the server's name for the log. The delivery must outlive this object.
  PushedLog(Delivery& delivery, Route route, std::string stream, const logs::LogHints& hints);

  struct Piece {
    std::string_view bytes;
    uint64_t offset = 0;
    int64_t arrival_ms = 0;  // for records without a time
    bool is_last = false;
  };
  // Fails if the server accepts no more.
  absl::StatusOr<PushAnswer> Send(const Piece& piece);

 private:
  Delivery& delivery_;
  std::string path_;  // with all constant parameters
};

}  // namespace lockstep::importer
