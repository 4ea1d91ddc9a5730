// ReadRequest: what a remote read asks for: prometheus.ReadRequest (prompb/remote.proto).
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

// Numbers are those of prometheus.ReadRequest.ResponseType.
enum class ReadResponseType : uint8_t { kSamples = 0, kStreamedChunks = 1 };

struct ReadQuery {
  TimeRange range;
  std::vector<Matcher> matchers;
};

struct ReadRequest {
  ReadResponseType response_type = ReadResponseType::kSamples;
  std::vector<ReadQuery> queries;
};

inline constexpr size_t kMaxReadQueries = 1000;

// From the uncompressed message. The response type is the first of those accepted that we give; samples, if
// none is named. Hints are left out: they change nothing that must be answered. kInvalidArgument says what
// is wrong with it.
absl::StatusOr<ReadRequest> ParseReadRequest(std::string_view message);

}  // namespace lockstep
