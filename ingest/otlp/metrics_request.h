// MetricsDecoder: decodes OTLP metrics requests, protobuf or JSON, to a DecodedWrite.
//
// The result does not refer to the message. With `storage`, samples of series that it knows and
// that were translated before are in request.known. Delta totals count from the decoder's creation;
// requests with errors do not change them. The refusals list each point that cannot be translated.
// Errors:
//   kInvalidArgument  the bytes are not such a request
//   kOutOfRange       over the series limit, or a limit in ingest/write/request_memory.h
//   kUnavailable      there is no memory for it now
//
// Thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "ingest/otlp/names/translation.h"
#include "ingest/otlp/translate/delta_totals.h"
#include "ingest/otlp/translate/series_keys.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::otlp {

class MetricsDecoder {
 public:
  explicit MetricsDecoder(Translation translation) : translation_(std::move(translation)) {}

  absl::StatusOr<DecodedWrite> DecodeProtobuf(std::string_view message, const IngestLimits& limits,
                                              const Storage* storage);
  absl::StatusOr<DecodedWrite> DecodeJson(std::string_view text, const IngestLimits& limits);

 private:
  absl::StatusOr<DecodedWrite> TranslateAll(std::string_view message, const IngestLimits& limits,
                                            SeriesKeys* keys);
  std::optional<absl::StatusOr<DecodedWrite>> TranslateUnknown(std::string_view message,
                                                               const IngestLimits& limits,
                                                               SeriesKeys& keys,
                                                               const Storage& storage);

  const Translation translation_;
  SeriesKeysPool series_keys_;
  DeltaTotals deltas_;
};

}  // namespace lockstep::otlp
