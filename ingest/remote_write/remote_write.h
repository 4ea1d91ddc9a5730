// Decodes the message of Prometheus remote write 1.0, protobuf, to a WriteRequest.
//
//   WriteRequest  1 repeated TimeSeries    3 repeated MetricMetadata
//   TimeSeries    1 repeated Label         2 repeated Sample      3 repeated Exemplar
//                 4 repeated Histogram
//   Label         1 name                   2 value
//   Sample        1 double value           2 int64 timestamp_ms
//   Exemplar      1 repeated Label         2 double value         3 int64 timestamp_ms
//
// Source: Prometheus, prompb/remote.proto and types.proto; the "Remote-Write 1.0" specification.
// Values keep their bits, including stale markers and NaN payloads. Labels may come in any order;
// empty values are dropped. Unknown fields are skipped.
//
// Series in the plain form (ingest/remote_write/plain_series.h) are looked up by a hash of their
// label bytes; only if that fails, their labels are decoded and checked.
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep {

class Storage;

// The result does not refer to `message`. Samples of series that `storage` knows are in
// request.known; none without a storage. Errors:
//   kInvalidArgument  the bytes are not such a message
//   kOutOfRange       over the series limit
absl::StatusOr<DecodedWrite> DecodeRemoteWrite(std::string_view message, const IngestLimits& limits,
                                               const Storage* storage = nullptr);

}  // namespace lockstep
