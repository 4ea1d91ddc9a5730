// Converts an exposition, text or protobuf, to a write request. Pure functions.
//
// Exemplars are dropped. TYPE, HELP and UNIT become metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "ingest/exposition/text_format.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/extra_labels.h"
#include "ingest/write/limits.h"

namespace lockstep::exposition {

struct ExpositionTerms {
  int64_t time_ms = 0;         // for samples without a timestamp
  bool may_have_times = true;  // if false, timestamps are errors
  const ExtraLabels& labels;
};

// Refuses lines that cannot be parsed and keeps the others. The result does not refer to `text`.
// Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeTextLines(std::string_view text, TextFormat format,
                                             const ExpositionTerms& terms,
                                             const IngestLimits& limits);

// Decodes a whole exposition; the first error is kInvalidArgument. Without `format`, it is
// protobuf.
absl::StatusOr<DecodedWrite> DecodeExposition(std::string_view body,
                                              std::optional<TextFormat> format,
                                              const ExpositionTerms& terms,
                                              const IngestLimits& limits);

}  // namespace lockstep::exposition
