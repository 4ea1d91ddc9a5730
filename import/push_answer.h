// What the server says to a piece of a log, or to steps. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/sample_fates.h"

namespace lockstep::importer {

struct PushAnswer {
  uint64_t next_offset = 0;  // where the stream goes on
  bool is_gap = false;  // nothing was taken: bytes before the piece are missing, or none may follow
  std::string format;
  uint64_t refused_samples = 0;
  std::string refused;  // which, in words
  // Of those taken; nothing where the server is one that does not say.
  std::optional<SampleFates> fates{};
};

// Nothing if `body`, of an answer with this status, says of no offset.
std::optional<PushAnswer> ReadPushAnswer(int status, std::string_view body);

}  // namespace lockstep::importer
