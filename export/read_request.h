// ReadRequest: a parsed remote read request: prometheus.ReadRequest (prompb/remote.proto).
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

// Values of prometheus.ReadRequest.ResponseType.
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

// Parses the uncompressed message. The response type is the first accepted one that we support, or
// samples if none is named. Ignores hints, because they do not affect the result. kInvalidArgument
// describes an error in the message.
absl::StatusOr<ReadRequest> ParseReadRequest(std::string_view message);

}  // namespace lockstep
