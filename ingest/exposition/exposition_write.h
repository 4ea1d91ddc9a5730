// What stands in an exposition, text or protobuf, to a write request. Pure functions.
//
// Exemplars are left out. Types, helps and units become metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/exposition/text_format.h"
#include "ingest/extra_labels.h"
#include "ingest/limits.h"

namespace lockstep::exposition {

struct ExpositionTerms {
  int64_t time_ms = 0;         // of samples without one
  bool may_have_times = true;  // if not, a sample with a time is malformed
  const ExtraLabels& labels;
};

// Lines that cannot be read are refused, and the others taken. Nothing in the result refers to
// `text`. Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeTextLines(std::string_view text, TextFormat format,
                                             const ExpositionTerms& terms,
                                             const IngestLimits& limits);

// An exposition as a whole: the first thing that cannot be read is kInvalidArgument. `format`:
// nothing is protobuf.
absl::StatusOr<DecodedWrite> DecodeExposition(std::string_view body,
                                              std::optional<TextFormat> format,
                                              const ExpositionTerms& terms,
                                              const IngestLimits& limits);

}  // namespace lockstep::exposition
