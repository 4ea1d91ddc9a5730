// MetricsDecoder: requests of OTLP's metrics service, bytes to a DecodedWrite, the two forms that they may have.
//
// Nothing in the result refers to the message. Samples of series that `storage` knows and that were translated
// before are in request.known; without a storage there are none. Deltas that the translation adds up count from when the
// decoder was made; of a request with an error they count not. Of points that cannot be translated the refusals
// tell, one by one. Errors:
//   kInvalidArgument  the bytes are not such a request
//   kOutOfRange       more series than the limit, or over one of ingest/request_memory.h
//   kUnavailable      there is no memory for it now
//
// Safe from any thread.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"
#include "ingest/otlp/delta_totals.h"
#include "ingest/otlp/series_keys.h"
#include "ingest/otlp/translation.h"
#include "storage/storage.h"

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
