// A request of OTLP's metrics service: bytes to a DecodedWrite, the two forms that it may have.
//
// Nothing in the result refers to `message`. Series are told by their labels, known to a store or not. Of points
// that cannot be translated the refusals tell, one by one. Errors:
//   kInvalidArgument  the bytes are not such a request
//   kOutOfRange       more series than the limit
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"
#include "ingest/otlp/translation.h"

namespace lockstep::otlp {

absl::StatusOr<DecodedWrite> DecodeProtobufRequest(std::string_view message,
                                                   const Translation& translation,
                                                   const IngestLimits& limits);
absl::StatusOr<DecodedWrite> DecodeJsonRequest(std::string_view text,
                                               const Translation& translation,
                                               const IngestLimits& limits);

}  // namespace lockstep::otlp
